import { sql } from 'kysely'
import { dayMs } from '#kernel/durations.ts'
import { lastDigits } from '#kernel/ids.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { creditKinds } from './credit-entry.ts'
import type { Span } from './period.ts'

/** What a workspace used on one day in UTC. */
export interface DayOfUse {
  readonly workspace_id: string
  readonly day: number
  readonly used_micros: number
}

/** How often the watermark may move while a sum is read: it moves once a minute. */
const maxTries = 10

/**
 * What a workspace used within whole days, in micros: the counted days and the entries since. One
 * statement reads both, but gets the watermark as a value: if it were read within, PostgreSQL would expect
 * a third of the ledger after it, and read all of it.
 */
export async function sumCountedUse(
  reader: Reader,
  workspaceId: string,
  span: Span,
): Promise<number> {
  for (let tries = 0; tries < maxTries; tries++) {
    const reachedAt = await readReached(reader)
    const sum = await sumSince(reader, workspaceId, span, reachedAt)
    if (sum.reached_at === reachedAt) return sum.micros
  }
  throw new Error('the watermark moved during every attempt to add up the use of credits')
}

async function sumSince(
  reader: Reader,
  workspaceId: string,
  { startsAt, endsAt }: Span,
  reachedAt: number,
): Promise<{ readonly micros: number; readonly reached_at: number }> {
  // An entry is never created before its use began, so the index need not be read further back.
  const since = Math.max(reachedAt, startsAt)
  const { rows } = await sql<{ micros: number; reached_at: number }>`
    select reached_at, cast(coalesce((
      select sum(used_micros) from credit_days
      where workspace_id = ${workspaceId} and day >= ${startsAt} and day < ${endsAt}
    ), 0) - coalesce((
      select sum(amount_micros) from credit_entries
      where workspace_id = ${workspaceId} and substr(workspace_id, 30) = ${lastDigits(workspaceId)}
        and kind not in (${sql.join([...creditKinds])})
        and created_at >= ${since} and counted_at >= ${startsAt} and counted_at < ${endsAt}
    ), 0) as bigint) as micros
    from watermarks where name = 'credit_days'
  `.execute(reader)
  const [sum] = rows
  if (sum === undefined) throw new Error('there is no watermark of credits')
  return { ...sum, micros: Number(sum.micros) }
}

export async function readReached(reader: Reader): Promise<number> {
  const row = reader.selectFrom('watermarks').select('reached_at').where('name', '=', 'credit_days')
  return (await row.executeTakeFirstOrThrow()).reached_at
}

/** So many look-ups in an index take about a millisecond. */
const workspacesAtOnce = 500

/**
 * When the oldest entry since a time was created; null if there is none. It reads in short steps, so that
 * a service at rest needs no process for long reads each minute.
 */
export async function findNextEntry(reader: Reader, since: number): Promise<number | null> {
  let oldest: number | null = null
  let after = ''
  for (;;) {
    const { rows } = await sql<{ id: string; at: number | null }>`
      select place.id, (
        select min(created_at) from credit_entries as entry
        where entry.workspace_id = place.id and substr(entry.workspace_id, 30) = substr(place.id, 30)
          and entry.created_at >= ${since}
      ) as at
      from workspaces as place where place.id > ${after}
      order by place.id limit ${workspacesAtOnce}
    `.execute(reader)
    for (const { at } of rows) if (at !== null && (oldest === null || at < oldest)) oldest = at
    if (rows.length < workspacesAtOnce) return oldest
    after = rows.at(-1)?.id ?? after
  }
}

/** The use of all entries that were created within a span. */
export async function listUseByDay(
  reader: Reader,
  { startsAt, endsAt }: Span,
): Promise<readonly DayOfUse[]> {
  const { rows } = await sql<DayOfUse>`
    select entry.workspace_id, entry.counted_at - entry.counted_at % ${sql.lit(dayMs)} as day,
      cast(-sum(entry.amount_micros) as bigint) as used_micros
    from workspaces as place
    join credit_entries as entry on entry.workspace_id = place.id
      and substr(entry.workspace_id, 30) = substr(place.id, 30)
    where entry.created_at >= ${startsAt} and entry.created_at < ${endsAt}
      and entry.kind not in (${sql.join([...creditKinds])})
    group by 1, 2
  `.execute(reader)
  return rows
}

/** A step. @returns false when another process has moved it */
export async function moveReached(tx: Tx, from: number, to: number): Promise<boolean> {
  const moved = await tx
    .updateTable('watermarks')
    .set({ reached_at: to })
    .where('name', '=', 'credit_days')
    .where('reached_at', '=', from)
    .executeTakeFirst()
  return moved.numUpdatedRows > 0n
}

/** A step. A workspace that is being purged gets no further row, which nothing would delete. */
export async function addToDay(tx: Tx, { workspace_id, day, used_micros }: DayOfUse) {
  await tx
    .insertInto('credit_days')
    .columns(['workspace_id', 'day', 'used_micros'])
    .expression(
      tx
        .selectFrom('workspaces')
        .select((row) => [
          'id',
          row.cast<number>(row.val(day), 'bigint').as('day'),
          row.cast<number>(row.val(used_micros), 'bigint').as('used_micros'),
        ])
        .where('id', '=', workspace_id)
        .where('purge_began_at', 'is', null),
    )
    .onConflict((conflict) =>
      conflict.columns(['workspace_id', 'day']).doUpdateSet((row) => ({
        used_micros: row('credit_days.used_micros', '+', row.ref('excluded.used_micros')),
      })),
    )
    .execute()
}
