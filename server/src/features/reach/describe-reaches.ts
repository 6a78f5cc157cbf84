import { type Reach } from '#kernel/reach.ts'
import type { Context } from '#platform/context.ts'
import { findOwnAgents, findOwnWorkspaces } from './reach-store.ts'

interface Named {
  readonly id: string
  /** Null if it was deleted, or if the viewer may not see it. */
  readonly name: string | null
}

/** A reach with names, for a person. */
export interface DescribedReach {
  readonly workspaces: readonly Named[]
  readonly agents: readonly Named[]
}

/**
 * Adds what each credential is bound to, in two reads; null for one without bounds.
 *
 * @param viewerId the person who looks at them: names of workspaces that are not theirs stay hidden
 */
export async function describeReaches<Item extends { readonly reach: Reach | undefined }>(
  { db }: Pick<Context, 'db'>,
  viewerId: string,
  items: readonly Item[],
): Promise<(Omit<Item, 'reach'> & { readonly reach: DescribedReach | null })[]> {
  const reaches = items.flatMap(({ reach }) => (reach === undefined ? [] : [reach]))
  const workspaceIds = unique(reaches.flatMap(({ workspaces }) => workspaces))
  const agentIds = unique(reaches.flatMap(({ agents }) => Object.keys(agents)))
  const known = [
    ...(workspaceIds.length === 0 ? [] : await findOwnWorkspaces(db.read, viewerId, workspaceIds)),
    ...(agentIds.length === 0 ? [] : await findOwnAgents(db.read, viewerId, agentIds)),
  ]
  const names = new Map(known.map(({ id, name }) => [id, name]))
  const named = (ids: readonly string[]) => ids.map((id) => ({ id, name: names.get(id) ?? null }))
  return items.map(({ reach, ...item }) => {
    if (reach === undefined) return { ...item, reach: null }
    const agents = named(Object.keys(reach.agents))
    return { ...item, reach: { workspaces: named(reach.workspaces), agents } }
  })
}

function unique(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)]
}
