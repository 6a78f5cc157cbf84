import type { FetchImplementation, JWTVerifyGetKey } from 'jose'
import { isObject } from '#kernel/json.ts'
import type { Context } from '#platform/context.ts'
import type { Outbound } from '#platform/outbound-http/outbound.ts'
import { IdentityProblem } from './identity-problem.ts'

/** Sets of keys, which `jose` reads again after ten minutes, and at most once in 30 seconds. */
const keySets = new WeakMap<Outbound, Map<string, JWTVerifyGetKey>>()
const mostKeySets = 200
/** After a failure, an address is not read for this long, however many tokens need its keys. */
const pauseMs = 30_000
const timeoutMs = 5000
const limits = { timeoutMs, maxBytes: 64 * 1024, maxValues: 500 }

/**
 * The public keys at an address. The sets that were used last are kept.
 *
 * @throws IdentityProblem for an address without https
 */
export async function publicKeysAt(
  { outbound, clock }: Pick<Context, 'outbound' | 'clock'>,
  address: string,
): Promise<JWTVerifyGetKey> {
  if (!mayHaveKeys(outbound, address)) throw new IdentityProblem('the keys are not behind https')
  const { createRemoteJWKSet, customFetch } = await import('jose')
  const known = keySets.get(outbound) ?? new Map<string, JWTVerifyGetKey>()
  keySets.set(outbound, known)
  const found = known.get(address)
  const keys =
    found ??
    createRemoteJWKSet(new URL(address), {
      timeoutDuration: timeoutMs,
      [customFetch]: pausing(outbound.fetch(limits), clock),
    })
  known.delete(address)
  known.set(address, keys)
  const [oldest] = known.size > mostKeySets ? known.keys() : []
  if (oldest !== undefined) known.delete(oldest)
  return keys
}

/** Keys that someone on the way could replace prove nothing; the operator answers for a listed host. */
export function mayHaveKeys(outbound: Pick<Outbound, 'isListed'>, address: string): boolean {
  const url = new URL(address)
  return url.protocol === 'https:' || outbound.isListed(url)
}

/** Reads a set of keys, but not within half a minute after that failed. */
function pausing(fetch: FetchImplementation, clock: Context['clock']): FetchImplementation {
  let failedAt = Number.NEGATIVE_INFINITY
  return async (url, options) => {
    if (clock.now() - failedAt < pauseMs)
      throw new IdentityProblem('the keys could not be read less than 30 seconds ago')
    try {
      const response = await fetch(url, options)
      if (response.status !== 200)
        throw new IdentityProblem(`the address of the keys answered ${response.status}`)
      return Response.json({ keys: keysOf(await response.json()) })
    } catch (error) {
      failedAt = clock.now()
      throw error
    }
  }
}

/** Of a key (RFC 7517 §4, RFC 7518 §6). `jose` compares the entries of a `key_ops` with each other. */
const members = ['kty', 'kid', 'use', 'alg', 'n', 'e', 'crv', 'x', 'y']

function keysOf(set: unknown): readonly object[] {
  if (!isObject(set) || !Array.isArray(set.keys))
    throw new IdentityProblem('this is no set of keys')
  return set.keys
    .filter(isObject)
    .map((key) =>
      Object.fromEntries(
        members.flatMap((name) => (typeof key[name] === 'string' ? [[name, key[name]]] : [])),
      ),
    )
}
