/** Days of the reader's calendar, as date fields have them (`2026-01-31`), and times of the service. */

/** The time at which a day begins. */
export function startOfDay(day: string): string {
  return new Date(`${day}T00:00:00`).toISOString()
}

/** The time at which a day has ended. */
export function endOfDay(day: string): string {
  const moment = new Date(`${day}T00:00:00`)
  moment.setDate(moment.getDate() + 1)
  return moment.toISOString()
}

/** The day of a time; that of its end if it is exactly where a day ends. */
export function dayOf(time: string | Date, isEnd = false): string {
  const moment = new Date(new Date(time).getTime() - (isEnd ? 1 : 0))
  const two = (part: number) => String(part).padStart(2, '0')
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`
}
