import type { Metric } from './results.ts'
import { meanRatio, type MeasuredRatio } from './statistics.ts'

/** One A B B A: the older commit first and last, so that a machine that slows down favours neither. */
export interface Block {
  readonly before: readonly [number, number]
  readonly after: readonly [number, number]
}

export interface Comparison extends MeasuredRatio {
  /** `unclear` means that the noise hides whether there is a loss. */
  readonly verdict: 'no loss' | 'unclear' | 'loss'
}

/** What a check compares: more of the first is better, less of the others. Only streams have a first chunk. */
export const comparedMetrics = [
  'perSecond',
  'cpuMicros',
  'firstP50Ms',
] as const satisfies readonly Metric[]

export type ComparedMetric = (typeof comparedMetrics)[number]

/**
 * @param limit the loss that is too much, such as 0.05
 * @returns by what factor the newer commit is worse: 1.07 is a loss of 7 %
 */
export function compare(
  metric: ComparedMetric,
  blocks: readonly Block[],
  limit: number,
): Comparison {
  const worse = meanRatio(
    blocks.map(({ before, after }) => {
      const ratio = (after[0] + after[1]) / (before[0] + before[1])
      return metric === 'perSecond' ? 1 / ratio : ratio
    }),
  )
  const tooMuch = 1 + limit
  const isLoss = worse.ratio / (1 + worse.noise) > tooMuch
  const isNone = worse.ratio * (1 + worse.noise) <= tooMuch
  return { ...worse, verdict: isLoss ? 'loss' : isNone ? 'no loss' : 'unclear' }
}
