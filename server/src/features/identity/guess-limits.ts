import { createHash } from 'node:crypto'
import type { Config } from '#config'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Window } from '#platform/limits/limits.ts'
import { identityFaults } from './identity-faults.ts'

interface Count {
  readonly key: string
  readonly window: Window
}

type Limited = Pick<Config, 'signInAttemptsLimit'>

const quarterHour = 15 * 60
const hour = 60 * 60

/**
 * What one wrong password counts against, in this order. From one address an account can be guessed
 * at `SIGN_IN_ATTEMPTS_LIMIT` times in a quarter of an hour; that stops before it uses up the
 * account's own count, so one stranger cannot lock a person out, while many together still cannot
 * guess on.
 */
export function signInCounts(
  { signInAttemptsLimit: limit }: Limited,
  email: string,
  address: string,
): readonly Count[] {
  const account = digest(email)
  return [
    {
      key: `sign-in:address:${address}`,
      window: { limit: 10 * limit, windowSeconds: quarterHour },
    },
    { key: `sign-in:pair:${account}:${address}`, window: { limit, windowSeconds: quarterHour } },
    { key: `sign-in:account:${account}`, window: { limit: 5 * limit, windowSeconds: hour } },
  ]
}

/** Somebody who sits at an open session may not guess its password either. */
export function passwordChangeCounts(
  { signInAttemptsLimit: limit }: Limited,
  userId: string,
): readonly Count[] {
  return [{ key: `password:${userId}`, window: { limit, windowSeconds: quarterHour } }]
}

/**
 * Counts a guess before it is made, so that guesses made at once cannot pass the limit together.
 * A right one is taken back: only failures count.
 *
 * @throws Fault guesses_limited; and what `guess` throws
 */
export async function countingGuess<T>(
  { limits }: Pick<Context, 'limits'>,
  counts: readonly Count[],
  guess: () => Promise<T>,
): Promise<T> {
  for (const { key, window } of counts) {
    const { allowed, retryAfterSeconds } = await limits.consume(key, window)
    if (!allowed) throw new Fault(identityFaults.guesses_limited, { retryAfterSeconds })
  }
  const right = await guess()
  for (const { key, window } of counts) await limits.giveBack(key, window)
  return right
}

/** The counts are no place to read who has an account. */
function digest(email: string): string {
  return createHash('sha256').update(email).digest('base64url')
}
