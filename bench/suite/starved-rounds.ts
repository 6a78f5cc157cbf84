import type { Measurement } from './results.ts'

/**
 * Under 32 callers, a server uses all that it can of a core. If it used less than this part of what it
 * used in its best round, another program had the rest, and the server that it is compared with looks
 * better or worse than it is.
 */
const leastOfCores = 0.85

/** Without such a load, the model alone shows how much of the machine a round had. */
const leastOfModel = 0.7

interface Compared {
  readonly setting: string
  readonly case: string
  readonly subject: string
}

/** The rounds in which another program took a part of what two compared servers needed. */
export function starvedRounds(
  measurements: readonly Measurement[],
  sides: readonly [Compared, Compared],
): Set<number> {
  const isLoaded = sides.every((side) => side.case.includes('32 callers'))
  const [side] = sides
  return new Set(
    isLoaded
      ? sides.flatMap((one) => lowRounds(measurements, one, 'cores', leastOfCores))
      : lowRounds(measurements, { ...side, subject: 'direct' }, 'perSecond', leastOfModel),
  )
}

/** The rounds with less than this part of the highest value. */
function lowRounds(
  measurements: readonly Measurement[],
  { setting, case: name, subject }: Compared,
  metric: 'cores' | 'perSecond',
  part: number,
): number[] {
  const values = measurements.flatMap((one) => {
    const value = one.values[metric]
    const isHere = one.setting === setting && one.case === name && one.subject === subject
    return isHere && value !== undefined ? [{ round: one.round, value }] : []
  })
  const highest = Math.max(...values.map(({ value }) => value))
  return values.filter(({ value }) => value < part * highest).map(({ round }) => round)
}
