import { createHash, randomBytes } from 'node:crypto'

/**
 * The number under which an agent's end user is counted: 53 bits of a hash. Among a million users
 * the chance that two share a number is 1 in 18,000.
 */
export function userKey(agentId: string, endUser: string): number {
  const hash = createHash('sha256').update(`${agentId}\0${endUser}`).digest()
  return number53(hash)
}

/** A random key, which leads back to no end user. */
export function anonymousKey(): number {
  return number53(randomBytes(8))
}

function number53(bytes: Buffer): number {
  return Number(bytes.readBigUInt64BE(0) >> 11n)
}
