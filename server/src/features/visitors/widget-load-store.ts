import { sql, type Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type WidgetLoads = Selectable<Schema['widget_loads']>

/** As many sites as the list of a page may have: replacing the list makes no more rows in a day. */
export const maxSitesPerDay = 50

/** The most sites that are shown. */
const maxListed = 200

/** A step: adds to the counts, and deletes those of these agents from before a day. */
export async function addWidgetLoads(
  tx: Tx,
  rows: readonly WidgetLoads[],
  before: number,
): Promise<void> {
  for (const given of rows) {
    const row = (await isOneTooMany(tx, given)) ? { ...given, origin: '' } : given
    await tx
      .insertInto('widget_loads')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['agent_id', 'day', 'origin']).doUpdateSet({
          loads: sql`widget_loads.loads + excluded.loads`,
          visits: sql`widget_loads.visits + excluded.visits`,
        }),
      )
      .execute()
    await tx
      .deleteFrom('widget_loads')
      .where('agent_id', '=', row.agent_id)
      .where('day', '<', before)
      .execute()
  }
}

/** Whether a site is new on a day that has as many as may be counted. */
async function isOneTooMany(tx: Tx, { agent_id, day, origin }: WidgetLoads): Promise<boolean> {
  if (origin === '') return false
  const known = await tx
    .selectFrom('widget_loads')
    .select('origin')
    .where('agent_id', '=', agent_id)
    .where('day', '=', day)
    .where('origin', '!=', '')
    .execute()
  return known.length >= maxSitesPerDay && known.every((one) => one.origin !== origin)
}

/** The busiest sites of an agent's widget. */
export async function listWidgetLoads(
  reader: Reader,
  of: { readonly workspaceId: string; readonly agentId: string; readonly since: number },
) {
  const rows = await reader
    .selectFrom('widget_loads')
    .select(({ fn }) => [
      'origin',
      fn.sum<number>('loads').as('loads'),
      fn.sum<number>('visits').as('visits'),
      fn.max('day').as('day'),
    ])
    .where('workspace_id', '=', of.workspaceId)
    .where('agent_id', '=', of.agentId)
    .where('day', '>=', of.since)
    .groupBy('origin')
    .orderBy('loads', 'desc')
    .orderBy('origin')
    .limit(maxListed)
    .execute()
  return rows.map(({ origin, loads, visits, day }) => ({
    origin,
    loads: Number(loads),
    visits: Number(visits),
    lastDay: Number(day),
  }))
}
