import { z } from 'zod'

/**
 * The workspaces and agents that a credential is bound to. A workspace includes all of its agents,
 * also those created later. An agent counts only in the workspace in which it was picked.
 */
export interface Reach {
  readonly workspaces: readonly string[]
  /** The workspace of each agent, by the agent's id. */
  readonly agents: Readonly<Record<string, string>>
}

/** Where a record is. */
export interface Place {
  readonly workspaceId: string
  /** Null for a record that belongs to no agent. */
  readonly agentId: string | null
}

/** True if the whole workspace is within reach. */
export function reachesWorkspace(reach: Reach, workspaceId: string): boolean {
  return reach.workspaces.includes(workspaceId)
}

/** True if the workspace, or at least one of its agents, is within reach. */
export function reachesInto(reach: Reach, workspaceId: string): boolean {
  return reachesWorkspace(reach, workspaceId) || Object.values(reach.agents).includes(workspaceId)
}

export function reachesRecord(reach: Reach, { workspaceId, agentId }: Place): boolean {
  if (reachesWorkspace(reach, workspaceId)) return true
  return agentId !== null && reach.agents[agentId] === workspaceId
}

/** The workspaces that hold something within reach. */
export function workspacesWithin({ workspaces, agents }: Reach): readonly string[] {
  return [...new Set([...workspaces, ...Object.values(agents)])]
}

/** The ids of the agents that a list of the workspace is limited to; undefined for all. */
export function agentsWithin(
  reach: Reach | undefined,
  workspaceId: string,
): readonly string[] | undefined {
  if (reach === undefined || reachesWorkspace(reach, workspaceId)) return undefined
  return Object.keys(reach.agents).filter((id) => reach.agents[id] === workspaceId)
}

const stored = z.strictObject({
  workspaces: z.array(z.string()),
  agents: z.record(z.string(), z.string()),
})

/**
 * Reads a stored reach; undefined for a credential without bounds.
 *
 * @throws Error for a damaged one: it must not count as unbound
 */
export function readReach(json: string | null): Reach | undefined {
  return json === null ? undefined : stored.parse(JSON.parse(json))
}

export function writeReach(reach: Reach | undefined): string | null {
  return reach === undefined ? null : JSON.stringify(reach)
}
