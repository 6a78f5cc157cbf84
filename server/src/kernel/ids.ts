import { randomFillSync } from 'node:crypto'

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

// Entropy is drawn in blocks: one system call per 256 ids instead of one each.
const pool = Buffer.allocUnsafe(16 * 256)
let poolOffset = pool.length
let lastMilliseconds = 0
let sequence = 0

/**
 * A UUID version 7 (RFC 9562 §5.7), lowercase. Ids from one process sort in the order of their
 * creation: the 12 bits after the time are a counter (§6.2, method 1).
 */
export function newId(now: number = Date.now()): string {
  if (poolOffset >= pool.length) {
    randomFillSync(pool)
    poolOffset = 0
  }
  const bytes = pool.subarray(poolOffset, poolOffset + 16)
  poolOffset += 16
  const time = nextTime(now)
  bytes.writeUIntBE(time, 0, 6)
  bytes[6] = 0x70 | (sequence >>> 8)
  bytes[7] = sequence & 0xff
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** True for any UUID in the 8-4-4-4-12 form, whatever its version and letter case. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

/** The smallest id of a time. */
export function firstIdAt(time: number): string {
  const clamped = Math.min(Math.max(0, Math.floor(time)), 2 ** 48 - 1)
  const hex = clamped.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

function nextTime(now: number): number {
  if (now > lastMilliseconds) {
    lastMilliseconds = now
    sequence = 0
  } else if (sequence < 0xfff) {
    sequence += 1
  } else {
    // The counter is full within one millisecond: borrow from the next (RFC 9562 §6.2).
    lastMilliseconds += 1
    sequence = 0
  }
  return lastMilliseconds
}
