import { sql, type Insertable, type Selectable } from 'kysely'
import { lastDigits } from '#kernel/ids.ts'
import type { Schema } from '#platform/db/schema.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Cap } from './cap.ts'
import { creditKinds, type EntryKind } from './credit-entry.ts'
import type { Span } from './period.ts'

export type EntryRow = Selectable<Schema['credit_entries']>
export type NewEntryRow = Insertable<Schema['credit_entries']>

/** As in the indexes of the ledger. */
export const digits = sql`substr(workspace_id, 30)`

/** @returns false when an entry with this idempotency key exists already */
export async function insertEntry(tx: Tx, row: NewEntryRow): Promise<boolean> {
  const inserted = await tx
    .insertInto('credit_entries')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'idempotency_key'])
        .where('idempotency_key', 'is not', null)
        .doNothing(),
    )
    .executeTakeFirst()
  return (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/**
 * What a subject used within a span, in micros: not negative.
 *
 * @param upTo the id of the last entry that counts; all entries count if absent
 */
export async function sumUse(
  reader: Reader,
  workspaceId: string,
  { subject, subjectId }: Pick<Cap, 'subject' | 'subjectId'>,
  { startsAt, endsAt }: Span,
  upTo?: string,
): Promise<number> {
  let query = reader
    .selectFrom('credit_entries')
    .select((e) => e.fn.sum<number | null>('amount_micros').as('amount'))
    .where('workspace_id', '=', workspaceId)
    .where(digits, '=', lastDigits(workspaceId))
    .where('kind', 'not in', creditKinds)
    // An entry is never created before its use began, so the index need not be read further back.
    .where('created_at', '>=', startsAt)
    .where('counted_at', '>=', startsAt)
    .where('counted_at', '<', endsAt)
  if (upTo !== undefined) query = query.where('id', '<=', upTo)
  if (subject !== 'workspace') query = query.where(columnOf[subject], '=', subjectId)
  // Repeats the condition of the index, so that both engines use it.
  if (subject === 'end_user') query = query.where('end_user', 'is not', null)
  const row = await query.executeTakeFirst()
  return -Number(row?.amount ?? 0)
}

/** The subject of all that a workspace uses. */
export const wholeWorkspace = { subject: 'workspace', subjectId: '' } as const

const columnOf = { agent: 'agent_id', key: 'key_id', end_user: 'end_user' } as const

/** All credits that a workspace received, less those that lapsed, and all its use, in micros. */
export async function sumWorkspace(
  reader: Reader,
  workspaceId: string,
): Promise<{ readonly givenMicros: number; readonly usedMicros: number }> {
  const rows = await reader
    .selectFrom('credit_entries')
    .select('kind')
    .select((e) => e.fn.sum<number>('amount_micros').as('amount'))
    .where('workspace_id', '=', workspaceId)
    .where(digits, '=', lastDigits(workspaceId))
    .groupBy('kind')
    .execute()
  const isUse = (kind: string) => creditKinds.every((one) => one !== kind)
  const sum = (of: typeof rows) => of.reduce((total, { amount }) => total + Number(amount), 0)
  return {
    givenMicros: sum(rows.filter(({ kind }) => !isUse(kind))),
    usedMicros: 0 - sum(rows.filter(({ kind }) => isUse(kind))),
  }
}

/** Marks the entry from which a workspace's credits were unlimited. */
export const unlimitedKeyPrefix = 'unlimited:'

/**
 * What a workspace used since its credits were last made unlimited, in micros; all its use if they
 * always were. Ids are in order of time; a turn counts from its beginning.
 *
 * @returns as `since` the id of the entry that made them unlimited, if there is one
 */
export async function sumUnlimited(
  reader: Reader,
  workspaceId: string,
): Promise<{ readonly since: string | null; readonly usedMicros: number }> {
  const marked = await reader
    .selectFrom('credit_entries')
    .select((e) => e.fn.max('id').as('id'))
    .where('workspace_id', '=', workspaceId)
    .where('idempotency_key', 'is not', null)
    .where('idempotency_key', 'like', `${unlimitedKeyPrefix}%`)
    .executeTakeFirst()
  const used = await reader
    .selectFrom('credit_entries')
    .select((e) => e.fn.sum<number | null>('amount_micros').as('amount'))
    .where('workspace_id', '=', workspaceId)
    .where(digits, '=', lastDigits(workspaceId))
    .where('kind', 'not in', creditKinds)
    .where('id', '>', marked?.id ?? '')
    .executeTakeFirst()
  return { since: marked?.id ?? null, usedMicros: 0 - Number(used?.amount ?? 0) }
}

/** What a plan granted for a month. */
interface MonthlyGrant {
  /** `2026-01` */
  readonly month: string
  readonly amountMicros: number
}

/**
 * The idempotency key of a month's `nth` grant. A larger plan within the month grants the
 * difference.
 */
export function monthKey(month: string, nth: number): string {
  return nth === 0 ? `month:${month}` : `month:${month}:${nth}`
}

/** The most grants in a month; further changes of plan take effect in the next month. */
export const maxGrantsAMonth = 10

export function expiryKey(month: string): string {
  return `expiry:${month}`
}

/** The individual grants of those months whose rest has not lapsed. */
export async function listMonthlyGrants(
  reader: Reader,
  workspaceId: string,
  months: readonly string[],
): Promise<MonthlyGrant[]> {
  const nth = Array.from({ length: maxGrantsAMonth }, (_, n) => n)
  const keys = months.flatMap((month) => nth.map((n) => monthKey(month, n)))
  const rows = await reader
    .selectFrom('credit_entries')
    .select(['idempotency_key as key', 'note as month', 'amount_micros'])
    .where('workspace_id', '=', workspaceId)
    // Repeats the condition of the index, so that both engines use it.
    .where('idempotency_key', 'is not', null)
    .where('idempotency_key', 'in', [...keys, ...months.map(expiryKey)])
    .execute()
  const lapsed = new Set(rows.map(({ key }) => key))
  return rows.flatMap(({ key, month, amount_micros }) =>
    month === null || key === expiryKey(month) || lapsed.has(expiryKey(month))
      ? []
      : [{ month, amountMicros: amount_micros }],
  )
}

export interface EntryFilter {
  readonly workspaceId: string
  /** Start, inclusive, and end, exclusive; epoch milliseconds. */
  readonly from: number | undefined
  readonly to: number | undefined
  readonly kind: EntryKind | undefined
}

/** Newest first; `before` is the time and id of the last entry of the page before. */
export function listEntries(
  reader: Reader,
  { workspaceId, from, to, kind }: EntryFilter,
  page: { readonly limit: number; readonly before: readonly [number, string] | undefined },
): Promise<EntryRow[]> {
  let query = reader
    .selectFrom('credit_entries')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where(digits, '=', lastDigits(workspaceId))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (from !== undefined) query = query.where('created_at', '>=', from)
  if (to !== undefined) query = query.where('created_at', '<', to)
  if (kind !== undefined) query = query.where('kind', '=', kind)
  // The index of the other kinds leaves turns out.
  if (kind !== undefined && kind !== 'turn') query = query.where(sql<boolean>`kind <> 'turn'`)
  const { before } = page
  if (before !== undefined)
    query = query.where((e) => e(e.refTuple('created_at', 'id'), '<', e.tuple(...before)))
  return query.execute()
}

/**
 * The cost of each answer, including the embeddings and calls made for it.
 *
 * @returns micros of a credit by the id of the message; none for a message that is not an answer
 */
export async function costOfMessages(
  reader: Reader,
  workspaceId: string,
  messageIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const costs = new Map<string, number>()
  if (messageIds.length === 0) return costs
  const add = (id: string, amount: number) => costs.set(id, (costs.get(id) ?? 0) - amount)
  // As an expression: for many ids, SQLite would read all entries of the workspace instead.
  const isOfWorkspace = sql<boolean>`workspace_id || '' = ${workspaceId}`
  const turns = await reader
    .selectFrom('credit_entries')
    .select(['id', 'amount_micros'])
    .where('id', 'in', messageIds)
    .where(isOfWorkspace)
    .execute()
  for (const { id, amount_micros } of turns) add(id, amount_micros)
  const others = await reader
    .selectFrom('credit_entries')
    .select(['message_id', 'amount_micros'])
    .where('message_id', 'in', messageIds)
    .where(isOfWorkspace)
    // The condition of the index, as a literal, so that both engines use it.
    .where(sql<boolean>`kind <> 'turn'`)
    .execute()
  for (const { message_id, amount_micros } of others) add(message_id ?? '', amount_micros)
  return costs
}
