/** What several rounds gave: the middle one and the range. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** @param share from 0 to 1 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
}

/** Values that are not numbers are left out: a round in which every request failed has no time. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((one, other) => one - other)
  const half = Math.floor(sorted.length / 2)
  const at = (index: number) => sorted[index] ?? Number.NaN
  const median = sorted.length % 2 === 1 ? at(half) : (at(half - 1) + at(half)) / 2
  return { median, least: at(0), most: at(sorted.length - 1) }
}

/** A ratio of two measured values, such as 1.04, and how far off it may be. */
export interface MeasuredRatio {
  readonly ratio: number
  /** Half of the 95 % confidence interval, as a factor minus one: 0.03 is ± 3 %. */
  readonly noise: number
}

/**
 * The mean of ratios that were each measured in a pair. The interval is Student's, of the logarithms,
 * so that twice and half are equally far from one. The noise of a single pair is not a number.
 */
export function meanRatio(ratios: readonly number[]): MeasuredRatio {
  const logs = ratios.map(Math.log)
  const mean = sum(logs) / logs.length
  const variance = sum(logs.map((log) => (log - mean) ** 2)) / (logs.length - 1)
  const halfWidth = studentT95(logs.length - 1) * Math.sqrt(variance / logs.length)
  return { ratio: Math.exp(mean), noise: Math.exp(halfWidth) - 1 }
}

/** Two-sided 95 % quantiles of Student's t by degrees of freedom, from 1. */
const quantiles = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145,
  2.131, 2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048,
  2.045, 2.042,
]

function studentT95(degrees: number): number {
  return quantiles[degrees - 1] ?? 1.96
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
