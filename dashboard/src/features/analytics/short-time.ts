import { locale } from '#texts/locale.ts'

const dayFormat = new Intl.DateTimeFormat(locale(), { day: 'numeric', month: 'short' })
const hourFormat = new Intl.DateTimeFormat(locale(), { timeStyle: 'short' })

/** The start of a period on an axis: the day where it is midnight, the time of day otherwise. */
export function shortTime(start: string): string {
  const date = new Date(start)
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0
  return isMidnight ? dayFormat.format(date) : hourFormat.format(date)
}
