import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type PageSecretKind = Schema['known_secrets']['kind']

/** A secret of an agent's chat page. */
export interface PageSecret {
  readonly agentId: string
  readonly kind: PageSecretKind
}

interface KnownBy {
  readonly userId: string
}

export async function isSecretKnown(
  reader: Reader,
  { agentId, kind, userId }: PageSecret & KnownBy,
): Promise<boolean> {
  const row = await reader
    .selectFrom('known_secrets')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('kind', '=', kind)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row !== undefined
}

/** A step: notes that a person is shown a secret. */
export async function noteKnownSecret(
  tx: Tx,
  { agentId, kind, userId, ...row }: PageSecret & KnownBy & NewRow,
): Promise<void> {
  await tx
    .insertInto('known_secrets')
    .values({
      id: row.id,
      workspace_id: row.workspaceId,
      agent_id: agentId,
      kind,
      user_id: userId,
      shown_at: row.shownAt,
      rotate_since: null,
      rotate_reason: null,
    })
    .onConflict((conflict) => conflict.columns(['agent_id', 'kind', 'user_id']).doNothing())
    .execute()
}

interface NewRow {
  readonly id: string
  readonly workspaceId: string
  readonly shownAt: number
}

/** A step: nobody knows a secret that was replaced. */
export async function forgetKnownSecret(tx: Tx, { agentId, kind }: PageSecret): Promise<void> {
  await tx
    .deleteFrom('known_secrets')
    .where('agent_id', '=', agentId)
    .where('kind', '=', kind)
    .execute()
}

export async function findKnownSecret(reader: Reader, workspaceId: string, id: string) {
  return await reader
    .selectFrom('known_secrets')
    .select(['id', 'agent_id', 'kind'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
}
