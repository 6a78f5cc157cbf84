const dayMs = 86_400_000

/** True for a name that the time zone database knows, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    return offsets(name) !== undefined
  } catch {
    // What Intl does with a name that it does not know: a RangeError.
    return false
  }
}

/** The moment at which a day (`2026-01-31`) begins in a time zone: epoch milliseconds. */
export function startOfDay(date: string, timeZone: string): number {
  const utc = Date.parse(`${date}T00:00:00Z`)
  // Of the two offsets around a change of the clocks, the one that holds at the moment found.
  const early = utc - offsetAt(utc - dayMs, timeZone)
  const late = utc - offsetAt(utc + dayMs, timeZone)
  const found = [early, late].filter((at) => at + offsetAt(at, timeZone) === utc)
  // Where the clocks skip midnight the day begins when they do.
  return found.length > 0 ? Math.min(...found) : Math.max(early, late)
}

/** The day of a moment in a time zone. */
export function dateAt(at: number, timeZone: string): string {
  return new Date(at + offsetAt(at, timeZone)).toISOString().slice(0, 10)
}

/** A moment as people of that time zone write it: `2026-01-31T00:00:00+01:00`. */
export function writeLocal(at: number, timeZone: string): string {
  const offset = offsetAt(at, timeZone)
  const local = new Date(at + offset).toISOString().slice(0, 19)
  if (offset === 0) return `${local}Z`
  const minutes = Math.abs(offset) / 60_000
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0')
  return `${local}${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}

/** `days` after (or before) a day, by the calendar. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Callers choose the names, and Intl takes each in any letter case: a format has 30 KB. */
const maxFormats = 100

function offsets(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  if (formats.size >= maxFormats) formats.clear()
  const made = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  formats.set(timeZone, made)
  return made
}

/** What a time zone's clocks are ahead of UTC at a moment, in milliseconds. */
function offsetAt(at: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0
  const part = offsets(timeZone)
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')
  // `GMT`, `GMT+05:30`, and for old times `GMT-00:01:15`, whose seconds no span of ours has.
  const [, sign = '+', hours = 0, minutes = 0] = /([+-])(\d+):(\d+)/.exec(part?.value ?? '') ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
