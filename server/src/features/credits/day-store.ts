import { sql } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import { useKinds } from './credit-entry.ts'
import type { Span } from './period.ts'

const dayMs = 86_400_000

/** What a workspace used on one day in UTC. */
export interface DayOfUse {
  readonly workspace_id: string
  readonly day: number
  readonly used_micros: number
}

const reached = sql`select reached_at from watermarks where name = 'credit_days'`

/** What a workspace used within whole days, in micros: the counted days and the entries since. */
export async function sumCountedUse(
  reader: Reader,
  workspaceId: string,
  { startsAt, endsAt }: Span,
): Promise<number> {
  // An entry is never created before its use began, so the index need not be read further back.
  const uncounted = sql`case when (${reached}) > ${startsAt} then (${reached}) else ${startsAt} end`
  const { rows } = await sql<{ micros: number }>`
    select cast(coalesce((
      select sum(used_micros) from credit_days
      where workspace_id = ${workspaceId} and day >= ${startsAt} and day < ${endsAt}
    ), 0) - coalesce((
      select sum(amount_micros) from credit_entries
      where workspace_id = ${workspaceId} and kind in (${sql.join([...useKinds])})
        and created_at >= (${uncounted}) and counted_at >= ${startsAt} and counted_at < ${endsAt}
    ), 0) as bigint) as micros
  `.execute(reader)
  return Number(rows[0]?.micros ?? 0)
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
        where entry.workspace_id = place.id and entry.created_at >= ${since}
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
    where entry.created_at >= ${startsAt} and entry.created_at < ${endsAt}
      and entry.kind in (${sql.join([...useKinds])})
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
