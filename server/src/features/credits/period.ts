/** The period that a cap limits; days and months in UTC. */
export const capPeriods = ['day', 'month'] as const
export type CapPeriod = (typeof capPeriods)[number]

/** From `startsAt`, inclusive, to `endsAt`, exclusive; epoch milliseconds. */
export interface Span {
  readonly startsAt: number
  readonly endsAt: number
}

/** The day or month that contains a time. */
export function spanOf(period: CapPeriod, at: number): Span {
  const date = new Date(at)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  return period === 'day'
    ? { startsAt: Date.UTC(year, month, day), endsAt: Date.UTC(year, month, day + 1) }
    : { startsAt: Date.UTC(year, month), endsAt: Date.UTC(year, month + 1) }
}

/** `2026-01`: the name of a month in its grant's idempotency key. */
export function monthName(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}

/** The `count` months up to the one that contains a time, latest first. */
export function monthsUntil(at: number, count: number): string[] {
  const date = new Date(at)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return Array.from({ length: count }, (_, back) => monthName(Date.UTC(year, month - back)))
}
