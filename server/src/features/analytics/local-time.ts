/** True for a name that the time zone database knows, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    // A RangeError: Intl does not know the name.
    return false
  }
}

/** The moment at which a day (`2026-01-31`) begins in a time zone: epoch milliseconds. */
export function startOfDay(date: string, timeZone: string): number {
  return Temporal.PlainDate.from(date).toZonedDateTime(timeZone).epochMilliseconds
}

/** The day of a moment in a time zone. */
export function dateAt(at: number, timeZone: string): string {
  return zoned(at, timeZone).toPlainDate().toString()
}

/** A moment in local time with its offset: `2026-01-31T00:00:00+01:00`. */
export function writeLocal(at: number, timeZone: string): string {
  const text = zoned(at, timeZone).toString({ smallestUnit: 'second', timeZoneName: 'never' })
  return text.replace('+00:00', 'Z')
}

/** `days` after (or before) a day, by the calendar. */
export function addDays(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString()
}

function zoned(at: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone)
}
