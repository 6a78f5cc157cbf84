import { sql } from 'kysely'
import type { Engine, Reader, Tx } from '#platform/db/database.ts'
import { ofChannels, type FiguresWanted } from './figures-store.ts'
import { rowsOf } from './rollup-store.ts'
import type { ModelCount } from './tally.ts'

/** A step: adds to what models answered on their days. */
export async function addModels(
  tx: Tx,
  engine: Engine,
  counts: readonly ModelCount[],
): Promise<void> {
  if (counts.length === 0) return
  const key = sql`agent_id, day, model, source`
  const rows = counts.map((one) => [
    one.agentId,
    one.day,
    one.model,
    one.source,
    one.turns,
    one.unpriced,
    one.micros,
  ])
  const types = ['text', 'bigint', 'text', 'text', 'bigint', 'bigint', 'bigint'] as const
  await sql`
    insert into analytics_models (${key}, turns, unpriced, cost_micros)
    ${rowsOf(engine, rows, types)}
    on conflict (${key}) do update set turns = analytics_models.turns + excluded.turns,
      unpriced = analytics_models.unpriced + excluded.unpriced,
      cost_micros = analytics_models.cost_micros + excluded.cost_micros
  `.execute(tx)
}

type ModelSum = Pick<ModelCount, 'model' | 'turns' | 'unpriced' | 'micros'>

/** What each model answered on whole days (UTC). */
export async function listModels(
  reader: Reader,
  { agentId, since, until, ...channels }: FiguresWanted,
): Promise<readonly ModelSum[]> {
  const { rows } = await sql<ModelSum>`
    select model, cast(sum(turns) as bigint) as turns, cast(sum(unpriced) as bigint) as unpriced,
      cast(sum(cost_micros) as bigint) as micros
    from analytics_models
    where agent_id = ${agentId} and day >= ${since} and day < ${until} ${ofChannels(channels)}
    group by model
  `.execute(reader)
  return rows
}
