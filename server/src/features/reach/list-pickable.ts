import type { Context } from '#platform/context.ts'
import { findOwnAgents, listOwnAgents } from './reach-store.ts'
import { wellFormedIds } from './resolve-reach.ts'

/** An agent that a person can bind a credential to. */
export interface Pickable {
  readonly id: string
  readonly name: string
  readonly workspaceId: string
}

export interface PickableQuery {
  readonly limit: number
  /** A part of the name; empty: all. */
  readonly search: string
  /** Ids of agents that are listed whatever their name, as far as they are the person's. */
  readonly picked: readonly string[]
}

/**
 * The agents of all of a person's workspaces: the picked ones first, then up to `limit` others whose
 * name contains the search, newest first.
 */
export async function listPickable(
  { db }: Pick<Context, 'db'>,
  userId: string,
  { limit, search, picked }: PickableQuery,
): Promise<{ readonly agents: readonly Pickable[]; readonly hasMore: boolean }> {
  const ids = wellFormedIds(picked)
  const chosen = ids.length === 0 ? [] : await findOwnAgents(db.read, userId, ids)
  const found = await listOwnAgents(db.read, userId, { limit: limit + 1, search })
  const isChosen = (id: string) => chosen.some((one) => one.id === id)
  const others = found.slice(0, limit).filter(({ id }) => !isChosen(id))
  const agents = [...chosen, ...others].map(({ id, name, workspace_id }) => ({
    id,
    name,
    workspaceId: workspace_id,
  }))
  return { agents, hasMore: found.length > limit }
}
