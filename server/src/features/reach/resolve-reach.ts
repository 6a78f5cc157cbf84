import { defineFaults, Fault } from '#kernel/fault.ts'
import { reachesInto, type Reach } from '#kernel/reach.ts'
import type { Reader } from '#platform/db/database.ts'
import { findOwnAgents, findOwnWorkspaces } from './reach-store.ts'

export const reachFaults = defineFaults({
  /** A workspace or an agent that does not exist, or whose workspace the person is not in. */
  reach_unknown: 'not_found',
  reach_misses_workspace: 'invalid',
})

/** What a person picked. Nothing picked means no bounds. */
export interface PickedReach {
  readonly workspaces?: readonly string[] | undefined
  /** UUIDs or `app_name_id`s. */
  readonly agents?: readonly string[] | undefined
}

/** A UUID or an `app_name_id`: a form can contain anything. */
const idForm = /^[\w-]{1,200}$/

/**
 * The reach of a new credential; undefined if nothing was picked. Every picked workspace and agent
 * must be one of the person's.
 *
 * @throws Fault reach_unknown
 */
export async function resolveReach(
  reader: Reader,
  userId: string,
  picked: PickedReach,
): Promise<Reach | undefined> {
  const workspaces = idsOf(picked.workspaces)
  const named = idsOf(picked.agents)
  if (![...workspaces, ...named].every((id) => idForm.test(id)))
    throw new Fault(reachFaults.reach_unknown)
  if (workspaces.length === 0 && named.length === 0) return undefined
  const found = workspaces.length === 0 ? [] : await findOwnWorkspaces(reader, userId, workspaces)
  if (found.length !== workspaces.length) throw new Fault(reachFaults.reach_unknown)
  const agents = named.length === 0 ? [] : await findOwnAgents(reader, userId, named)
  const isKnown = (id: string) => agents.some((one) => one.id === id || one.app_name_id === id)
  if (!named.every(isKnown)) throw new Fault(reachFaults.reach_unknown)
  const apart = agents.filter(({ workspace_id }) => !workspaces.includes(workspace_id))
  return {
    workspaces,
    agents: Object.fromEntries(apart.map(({ id, workspace_id }) => [id, workspace_id])),
  }
}

/** @throws Fault reach_misses_workspace if a credential could not act in its default workspace */
export function requireReachInto(reach: Reach | undefined, workspaceId: string): void {
  if (reach === undefined || reachesInto(reach, workspaceId)) return
  throw new Fault(reachFaults.reach_misses_workspace)
}

function idsOf(picked: readonly string[] = []): readonly string[] {
  return [...new Set(picked.map((id) => id.toLowerCase()))]
}

/** Of ids in a form, those that can name something: the others would be an error of PostgreSQL. */
export function wellFormedIds(ids: readonly string[]): readonly string[] {
  return idsOf(ids).filter((id) => idForm.test(id))
}
