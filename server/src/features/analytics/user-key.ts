import { createHash, randomBytes } from 'node:crypto'

/**
 * A number that stands for an end user of an agent in counts: 53 bits of a hash, so that two of a
 * million users share one in one case of 18,000.
 */
export function userKey(agentId: string, endUser: string): number {
  const hash = createHash('sha256').update(`${agentId}\0${endUser}`).digest()
  return number53(hash)
}

/** A number that stands for nobody who can be named. */
export function anonymousKey(): number {
  return number53(randomBytes(8))
}

function number53(bytes: Buffer): number {
  return Number(bytes.readBigUInt64BE(0) >> 11n)
}
