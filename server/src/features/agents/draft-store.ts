import type { Insertable, Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

type DraftRow = Selectable<Schema['agent_drafts']>

/** A draft with its author, as it is shown. */
export type ShownDraftRow = Pick<DraftRow, 'revision' | 'changes_json' | 'updated_at'> & {
  readonly author_id: string
  readonly author_name: string
  readonly author_email: string
}

/** The agent itself must have been found in the caller's workspace first. */
export function findDraft(reader: Reader, agentId: string): Promise<ShownDraftRow | undefined> {
  return reader
    .selectFrom('agent_drafts as draft')
    .innerJoin('users as author', 'author.id', 'draft.author_id')
    .select(['draft.revision', 'draft.changes_json', 'draft.updated_at', 'draft.author_id'])
    .select(['author.name as author_name', 'author.email as author_email'])
    .where('draft.agent_id', '=', agentId)
    .executeTakeFirst()
}

export async function putDraft(tx: Tx, row: Insertable<Schema['agent_drafts']>): Promise<void> {
  const { agent_id: _, ...changed } = row
  await tx
    .insertInto('agent_drafts')
    .values(row)
    .onConflict((conflict) => conflict.column('agent_id').doUpdateSet(changed))
    .execute()
}

export async function deleteDraft(tx: Tx, agentId: string): Promise<void> {
  await tx.deleteFrom('agent_drafts').where('agent_id', '=', agentId).execute()
}
