import { pagesOf } from '#features/conversations/index.ts'
import type { Context } from '#platform/context.ts'
import { isWantedChannel } from './channels.ts'
import { readCosts } from './counted-rows-store.ts'
import type { FiguresWanted } from './figures-store.ts'
import { listModels } from './models-store.ts'
import { Tally } from './tally.ts'
import { daysOf, inBytes, shown } from './top-lists.ts'

/** A model that answered turns. */
export interface TopModel {
  readonly model: string
  readonly turns: number
  /** Of all turns that were answered, from 0 to 1. */
  readonly share: number
  /** Of its turns that had a price, in millionths of a credit; null if none had one. */
  readonly costMicros: number | null
  readonly unpricedTurns: number
}

/**
 * The models that answered most turns, on all days (UTC) that the range touches.
 *
 * @param reachedAt rows before this moment are counted already
 */
export async function readTopModels(
  { db }: Pick<Context, 'db'>,
  wanted: FiguresWanted,
  reachedAt: number,
): Promise<readonly TopModel[]> {
  const days = daysOf(wanted)
  const live = new Tally([])
  const uncounted = { ...days, since: Math.max(days.since, reachedAt) }
  for await (const { rows } of pagesOf((page) => readCosts(db.report, db.engine, page), uncounted))
    for (const row of rows) if (isWantedChannel(wanted, row.source)) live.countCost(row)
  const sums = [...(await listModels(db.report, days)), ...live.models.values()]
  const models = [...Map.groupBy(sums, ({ model }) => model)].map(([model, parts]) => ({
    model,
    turns: total(parts, ({ turns }) => turns),
    unpricedTurns: total(parts, ({ unpriced }) => unpriced),
    micros: total(parts, ({ micros }) => micros),
  }))
  const all = total(models, ({ turns }) => turns)
  return models
    .toSorted((one, other) => other.turns - one.turns || inBytes(one.model, other.model))
    .slice(0, shown)
    .map(({ micros, ...one }) => ({
      ...one,
      share: one.turns / all,
      costMicros: one.unpricedTurns === one.turns ? null : micros,
    }))
}

function total<T>(parts: readonly T[], of: (part: T) => number): number {
  return parts.reduce((sum, part) => sum + of(part), 0)
}
