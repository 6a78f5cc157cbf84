import { randomFillSync } from 'node:crypto'

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

// Entropy is drawn in blocks, as digits: one system call and one conversion per 256 ids.
const pool = Buffer.allocUnsafe(8 * 256)
let digits = ''
let nextDigit = 0
let lastMilliseconds = 0
/** `lastMilliseconds` as an id begins with it. */
let beginning = ''
let sequence = 0

/**
 * A UUID version 7 (RFC 9562 §5.7), lowercase. Ids from one process sort in the order of their
 * creation: the 12 bits after the time are a counter (§6.2, method 1).
 */
export function newId(now: number = Date.now()): string {
  if (nextDigit === digits.length) drawDigits()
  countIn(now)
  const from = nextDigit
  nextDigit += 16
  const counter = (0x7000 + sequence).toString(16) // with the version
  return `${beginning}${counter}-${digits.slice(from, from + 4)}-${digits.slice(from + 4, from + 16)}`
}

/** Each 8 bytes begin with the two bits of the variant. */
function drawDigits(): void {
  randomFillSync(pool)
  for (let at = 0; at < pool.length; at += 8) pool[at] = 0x80 | ((pool[at] ?? 0) & 0x3f)
  digits = pool.toString('hex')
  nextDigit = 0
}

/** True for any UUID in the 8-4-4-4-12 form, whatever its version and letter case. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

/**
 * The digits of an id with which some indexes of PostgreSQL begin, because they are short (migration 79). In
 * SQL: `substr(id, 30)`.
 */
export function lastDigits(id: string): string {
  return id.slice(29)
}

/** The smallest id of a time. */
export function firstIdAt(time: number): string {
  const clamped = Math.min(Math.max(0, Math.floor(time)), 2 ** 48 - 1)
  return `${timeDigits(clamped)}0000-0000-000000000000`
}

/** The time with which an id begins, in epoch milliseconds. */
export function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/** Ends with the hyphen that follows. */
function timeDigits(time: number): string {
  const hex = time.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-`
}

function countIn(now: number): void {
  const time = Math.floor(now)
  if (time <= lastMilliseconds && sequence < 0xfff) {
    sequence += 1
    return
  }
  // The counter may be full within one millisecond: borrow from the next (RFC 9562 §6.2).
  lastMilliseconds = Math.max(time, lastMilliseconds + 1)
  beginning = timeDigits(lastMilliseconds)
  sequence = 0
}
