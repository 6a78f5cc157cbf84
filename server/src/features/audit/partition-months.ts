import { firstIdAt, timeOf } from '#kernel/ids.ts'

/** Months in UTC with which the names of partitions end, such as `2027_01`. */

export function monthAt(time: number): string {
  return new Date(time).toISOString().slice(0, 7).replace('-', '_')
}

/** The month that begins with an id. */
export function monthOf(id: string): string {
  return monthAt(timeOf(id))
}

/** When it begins, in epoch milliseconds. */
export function beginningOf(month: string): number {
  const [year = 0, number = 1] = month.split('_').map(Number)
  return Date.UTC(year, number - 1)
}

/** The first id that it may have. */
export function firstIdOf(month: string): string {
  return firstIdAt(beginningOf(month))
}
