import type { Logger } from 'pino'
import { tallies } from '#kernel/tallies.ts'

/** A flood of slow statements must not fill the log. */
const linesPerMinute = 20
const longestText = 2_000

let thresholdMs = Number.POSITIVE_INFINITY
let log: Pick<Logger, 'warn'> | null = null
let minuteBegan = Number.NEGATIVE_INFINITY
let written = 0
let omitted = 0

/** Statements of this process that take longer than `ms` are logged; 0 turns this off. */
export function logSlowStatements(ms: number, to: Pick<Logger, 'warn'>): void {
  thresholdMs = ms === 0 ? Number.POSITIVE_INFINITY : ms
  log = to
}

/** @param sql with placeholders: values are never logged */
export function noteDuration(sql: string, began: number): void {
  const ms = performance.now() - began
  if (ms > thresholdMs) noteSlow(sql, ms)
}

function noteSlow(sql: string, ms: number): void {
  tallies.slowStatements.add()
  const now = performance.now()
  if (now - minuteBegan > 60_000) {
    minuteBegan = now
    written = 0
  }
  if (written >= linesPerMinute) {
    omitted += 1
    return
  }
  written += 1
  const statement = sql.replace(/\s+/g, ' ').trim().slice(0, longestText)
  log?.warn({ ms: Math.round(ms), statement, ...(omitted > 0 && { omitted }) }, 'slow statement')
  omitted = 0
}
