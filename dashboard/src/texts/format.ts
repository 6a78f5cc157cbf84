import { digitsOf } from './money.ts'
import { locale } from './locale.ts'
import { t } from './t.ts'

/** Formats an RFC 3339 time in the reader's time zone. */
export function formatDateTime(time: string): string {
  return dateTime.format(new Date(time))
}

/** With seconds and the reader's time zone: `3 Jan 2026, 14:05:09 CET`. */
export function formatMoment(time: string): string {
  return moment.format(new Date(time))
}

export function formatDate(time: string): string {
  return date.format(new Date(time))
}

/** The time of the reader at which a day of the service begins: it counts days in UTC. */
export function formatDayStart(): string {
  return time.format(new Date().setUTCHours(0, 0, 0, 0))
}

/** @param day a day without a time zone: `2026-01-31` */
export function formatDay(day: string): string {
  return wholeDay.format(new Date(`${day}T00:00:00Z`))
}

export function isPast(time: string): boolean {
  return Date.parse(time) <= Date.now()
}

/** "3 minutes ago", "just now", "in 2 days". */
export function formatRelative(time: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(time) - now) / 1000)
  for (const [unit, size] of units)
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit)
  return seconds > 0 ? relative.format(0, 'second') : t('common.justNow')
}

/** For what is still to happen, even if it is overdue: "now" instead of "just now". */
export function formatNext(time: string, now = Date.now()): string {
  const isNow = Math.abs(Date.parse(time) - now) < 60_000
  return isNow ? relative.format(0, 'second') : formatRelative(time, now)
}

export function formatNumber(value: number, options: Intl.NumberFormatOptions = {}): string {
  return value.toLocaleString(locale(), options)
}

export function formatPercent(part: number): string {
  return part.toLocaleString(locale(), { style: 'percent', maximumFractionDigits: 1 })
}

/** @param minor an amount in the currency's minor unit, such as cents */
export function formatMoney(minor: number, currency: string): string {
  const digits = digitsOf(currency)
  const fraction = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const format = new Intl.NumberFormat(locale(), { style: 'currency', currency, ...fraction })
  return format.format(minor / 10 ** digits)
}

/** A kilobyte is 1024 bytes, as in the service's limits: 64 MiB is "64 MB". */
/** @param thousand 1024 for files, 1000 for limits that operators set in round numbers */
export function formatBytes(bytes: number, thousand: 1000 | 1024 = 1024): string {
  const steps = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const
  const step = Math.min(
    steps.length - 1,
    Math.floor(Math.log(Math.max(1, bytes)) / Math.log(thousand) + 1e-9),
  )
  return (bytes / thousand ** step).toLocaleString(locale(), {
    style: 'unit',
    unit: steps[step] ?? 'byte',
    // The short form would be "26 byte".
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  })
}

export function formatDuration(milliseconds: number): string {
  const isShort = milliseconds < 1000
  return (isShort ? milliseconds : milliseconds / 1000).toLocaleString(locale(), {
    style: 'unit',
    unit: isShort ? 'millisecond' : 'second',
    unitDisplay: 'short',
    maximumFractionDigits: isShort ? 0 : 1,
  })
}

const dateTime = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' })
const moment = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'long' })
const date = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' })
const wholeDay = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeZone: 'UTC' })
const time = new Intl.DateTimeFormat(locale(), { timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' })
const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const
