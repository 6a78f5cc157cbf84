import { CompiledQuery, sql, type ExpressionBuilder, type Kysely, type Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Engine, Reader, Tx } from '#platform/db/database.ts'
import { everyEndUser } from './cap.ts'
import type { CapPlace } from './cap-store.ts'

export type WindowRow = Selectable<Schema['credit_windows']>

/** What the windows of a use's subjects count. */
export interface CountedUse {
  readonly workspace_id: string
  readonly agent_id: string | null
  readonly key_id: string | null
  readonly end_user: string | null
  /** Negative or zero, as in the ledger. */
  readonly amount_micros: number
  readonly counted_at: number
}

/** Counts a use in every window that it falls into; there is none where nothing is limited. */
export const countUse = (db: Kysely<Schema>, given: CountedUse) =>
  db
    .updateTable('credit_windows')
    .set((row) => ({ used_micros: row('used_micros', '-', given.amount_micros) }))
    .where((row) => countsIn(row, given))

/** The windows that a use falls into. */
function countsIn(
  row: ExpressionBuilder<Schema, 'credit_windows'>,
  given: Omit<CountedUse, 'amount_micros'>,
) {
  return row.and([
    row('workspace_id', '=', given.workspace_id),
    row.or([
      row('subject', '=', sql.lit('workspace')),
      row('subject', '=', sql.lit('agent')).and('subject_id', '=', given.agent_id),
      row('subject', '=', sql.lit('key')).and('subject_id', '=', given.key_id),
      row('subject', '=', sql.lit('end_user')).and('subject_id', '=', given.end_user),
    ]),
    row('starts_at', '<=', given.counted_at),
    row('ends_at', '>', given.counted_at),
  ])
}

/**
 * Makes the unit READ COMMITTED on PostgreSQL; must be its first statement. Many turns change the same
 * window: in READ COMMITTED they wait for each other's row locks, while SERIALIZABLE units would fail
 * and be replayed. Such a unit must lock the rows that its decision depends on (`lockWindows`).
 */
export async function waitForRowLocks(tx: Tx, engine: Engine): Promise<void> {
  if (engine === 'postgres')
    await tx.executeQuery(CompiledQuery.raw('set transaction isolation level read committed'))
}

/** The windows that a use falls into, locked until the unit ends, always in the same order. */
export async function lockWindows(
  tx: Tx,
  engine: Engine,
  use: Omit<CountedUse, 'amount_micros'>,
): Promise<WindowRow[]> {
  const query = tx
    .selectFrom('credit_windows')
    .selectAll()
    .where((row) => countsIn(row, use))
    .orderBy('id')
  // SQLite has one writer and no `for update`.
  return await (engine === 'postgres' ? query.forUpdate() : query).execute()
}

/**
 * Blocks every unit that counts or locks windows until this one ends; must be its first statement. So
 * a window begins with exactly the uses that were booked before it.
 */
export async function holdWindows(tx: Tx, engine: Engine): Promise<void> {
  if (engine === 'postgres')
    await tx.executeQuery(
      CompiledQuery.raw('lock table credit_windows in share row exclusive mode'),
    )
}

/** Does nothing when the window exists already. */
export async function insertWindow(tx: Tx, row: WindowRow): Promise<void> {
  await tx
    .insertInto('credit_windows')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Adds to the limit of a workspace's balance, if it has one. */
export async function raiseBalanceLimit(
  tx: Tx,
  workspaceId: string,
  amountMicros: number,
): Promise<void> {
  await tx
    .updateTable('credit_windows')
    .set((row) => ({ limit_micros: row('limit_micros', '+', amountMicros) }))
    .where('workspace_id', '=', workspaceId)
    .where('period', '=', 'balance')
    .execute()
}

export function findBalance(reader: Reader, workspaceId: string): Promise<WindowRow | undefined> {
  return reader
    .selectFrom('credit_windows')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('period', '=', 'balance')
    .executeTakeFirst()
}

export async function deleteBalance(tx: Tx, workspaceId: string): Promise<void> {
  await tx
    .deleteFrom('credit_windows')
    .where('workspace_id', '=', workspaceId)
    .where('period', '=', 'balance')
    .execute()
}

/** A changed cap applies at once; the reservations of running turns stay. */
export async function limitWindows(tx: Tx, place: CapPlace, limitMicros: number): Promise<void> {
  await tx
    .updateTable('credit_windows')
    .set({ limit_micros: limitMicros })
    .where((e) => ofPlace(e, place))
    .execute()
}

export async function deleteWindows(tx: Tx, place: CapPlace): Promise<void> {
  await tx
    .deleteFrom('credit_windows')
    .where((e) => ofPlace(e, place))
    .execute()
}

/** A cap's windows; for the cap on every end user, those of end users without a cap by name. */
function ofPlace(e: ExpressionBuilder<Schema, 'credit_windows'>, place: CapPlace) {
  const isEvery = place.subject === 'end_user' && place.subject_id === everyEndUser
  const named = e
    .selectFrom('credit_caps')
    .select('credit_caps.subject_id')
    .where('credit_caps.workspace_id', '=', place.workspace_id)
    .where('credit_caps.subject', '=', place.subject)
    .where('credit_caps.period', '=', place.period)
  return e.and([
    e('workspace_id', '=', place.workspace_id),
    e('subject', '=', place.subject),
    e('period', '=', place.period),
    isEvery ? e('subject_id', 'not in', named) : e('subject_id', '=', place.subject_id),
  ])
}

/** Deletes windows that no turn counts in: they ended before every running turn began. */
export async function deleteWindowsBefore(tx: Tx, endedBefore: number): Promise<void> {
  await tx.deleteFrom('credit_windows').where('ends_at', '<', endedBefore).execute()
}
