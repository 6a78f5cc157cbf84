import type { Context } from '#platform/context.ts'
import { listOwnAgents } from './reach-store.ts'

/** An agent that a person can bind a credential to. */
export interface Pickable {
  readonly id: string
  readonly name: string
  readonly workspaceId: string
}

/** The agents of all of a person's workspaces, newest first. */
export async function listPickable(
  { db }: Pick<Context, 'db'>,
  userId: string,
  limit: number,
): Promise<readonly Pickable[]> {
  const rows = await listOwnAgents(db.read, userId, limit)
  return rows.map(({ id, name, workspace_id }) => ({ id, name, workspaceId: workspace_id }))
}
