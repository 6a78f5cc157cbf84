/** What a cap counts over. Days and months are those of UTC. */
export const capPeriods = ['day', 'month'] as const
export type CapPeriod = (typeof capPeriods)[number]

/** From `startsAt` on, before `endsAt`; epoch milliseconds. */
export interface Span {
  readonly startsAt: number
  readonly endsAt: number
}

/** The day or month that a moment is in. */
export function spanOf(period: CapPeriod, at: number): Span {
  const date = new Date(at)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  return period === 'day'
    ? { startsAt: Date.UTC(year, month, day), endsAt: Date.UTC(year, month, day + 1) }
    : { startsAt: Date.UTC(year, month), endsAt: Date.UTC(year, month + 1) }
}

/** `2026-01`: what makes the grant of a month one. */
export function monthName(at: number): string {
  return new Date(at).toISOString().slice(0, 7)
}

/** The months up to that of a moment, latest first. */
export function monthsUntil(at: number, count: number): string[] {
  const date = new Date(at)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return Array.from({ length: count }, (_, back) => monthName(Date.UTC(year, month - back)))
}
