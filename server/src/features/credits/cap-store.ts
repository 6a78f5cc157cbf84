import type { Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { capSubjects, everyEndUser, type Cap, type CapSubject } from './cap.ts'
import type { Consumer } from './credit-entry.ts'
import { capPeriods, type CapPeriod } from './period.ts'

type CapRow = Selectable<Schema['credit_caps']>

const capColumns = ['subject', 'subject_id', 'period', 'amount_micros'] as const

/** The caps that apply to a consumer, and those for every end user. */
export async function listCapsOn(reader: Reader, consumer: Consumer): Promise<Cap[]> {
  const rows = await reader
    .selectFrom('credit_caps')
    .select(capColumns)
    .where('workspace_id', '=', consumer.workspaceId)
    .where((row) =>
      row.or([
        row('subject', '=', 'workspace'),
        row('subject', '=', 'agent').and('subject_id', '=', consumer.agentId),
        row('subject', '=', 'key').and('subject_id', '=', consumer.keyId),
        row('subject', '=', 'end_user').and('subject_id', '=', consumer.endUser),
        row('subject', '=', 'end_user').and('subject_id', '=', everyEndUser),
      ]),
    )
    .execute()
  return rows.map(capFromRow)
}

/** A page of a workspace's caps, by subject. */
export async function listCaps(
  reader: Reader,
  workspaceId: string,
  page: { readonly limit: number; readonly after: CapKey | undefined },
): Promise<Cap[]> {
  const columns = ['subject', 'subject_id', 'period'] as const
  let query = reader
    .selectFrom('credit_caps')
    .select(capColumns)
    .where('workspace_id', '=', workspaceId)
    .orderBy('subject')
    .orderBy('subject_id')
    .orderBy('period')
    .limit(page.limit)
  const { after } = page
  if (after !== undefined)
    query = query.where((e) => e(e.refTuple(...columns), '>', e.tuple(...after)))
  return (await query.execute()).map(capFromRow)
}

/** Subject, its id, period. */
type CapKey = readonly [string, string, string]

function capFromRow(row: Pick<CapRow, (typeof capColumns)[number]>): Cap {
  return {
    subject: knownOf(capSubjects, row.subject),
    subjectId: row.subject_id,
    period: knownOf(capPeriods, row.period),
    amountMicros: row.amount_micros,
  }
}

/** @throws Error for a word that this version of Parley does not know */
function knownOf<Word extends CapSubject | CapPeriod>(words: readonly Word[], word: string): Word {
  const known = words.find((one) => one === word)
  if (known === undefined) throw new Error(`Unknown word in a cap: ${word}`)
  return known
}

export async function upsertCap(tx: Tx, row: CapRow): Promise<void> {
  await tx
    .insertInto('credit_caps')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'subject', 'subject_id', 'period'])
        .doUpdateSet({ amount_micros: row.amount_micros, updated_at: row.updated_at }),
    )
    .execute()
}

/** What identifies a cap. */
export type CapPlace = Pick<CapRow, 'workspace_id' | 'subject' | 'subject_id' | 'period'>

export async function deleteCap(tx: Tx, place: CapPlace): Promise<void> {
  await tx
    .deleteFrom('credit_caps')
    .where('workspace_id', '=', place.workspace_id)
    .where('subject', '=', place.subject)
    .where('subject_id', '=', place.subject_id)
    .where('period', '=', place.period)
    .execute()
}

/** Whether a live agent or a chat key belongs to a workspace. */
export async function isOfWorkspace(
  reader: Reader,
  workspaceId: string,
  subject: 'agent' | 'key',
  id: string,
): Promise<boolean> {
  const row =
    subject === 'agent'
      ? await reader
          .selectFrom('agents')
          .select('id')
          .where('id', '=', id)
          .where('workspace_id', '=', workspaceId)
          .where('deleted_at', 'is', null)
          .executeTakeFirst()
      : await reader
          .selectFrom('api_keys')
          .select('id')
          .where('id', '=', id)
          .where('workspace_id', '=', workspaceId)
          .where('kind', '=', 'chat')
          .executeTakeFirst()
  return row !== undefined
}

export async function hasCaps(reader: Reader, workspaceId: string): Promise<boolean> {
  const row = await reader
    .selectFrom('credit_caps')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
