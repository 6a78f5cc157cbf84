import { createHash } from 'node:crypto'
import type { Config } from '#config'
import {
  isRecoveryCode,
  secondFactorFaults,
  type FactorProof,
} from '#features/second-factors/index.ts'
import { daySeconds, hourSeconds } from '#kernel/durations.ts'
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

/**
 * The limits that one wrong password counts against, in this order. One address may guess an account's
 * password `SIGN_IN_ATTEMPTS_LIMIT` times in 15 minutes. That is less than the account's own limit, so
 * one stranger cannot lock a person out, and many strangers together cannot keep guessing.
 *
 * A browser that the account signed in with before has a limit of its own instead, so that the guesses
 * of many strangers do not lock the person out of it.
 */
export function signInCounts(
  { signInAttemptsLimit: limit }: Limited,
  email: string,
  { address, browserId }: { readonly address: string; readonly browserId: string | null },
): readonly Count[] {
  const account = accountDigest(email)
  const one = { limit, windowSeconds: quarterHour }
  if (browserId !== null) return [{ key: `sign-in:browser:${account}:${browserId}`, window: one }]
  return [
    {
      key: `sign-in:address:${address}`,
      window: { limit: 10 * limit, windowSeconds: quarterHour },
    },
    { key: `sign-in:pair:${account}:${address}`, window: one },
    { key: `sign-in:account:${account}`, window: { limit: 5 * limit, windowSeconds: hourSeconds } },
  ]
}

/** The limit for a visitor who finds an open session and guesses its password. */
export function passwordChangeCounts(
  { signInAttemptsLimit: limit }: Limited,
  userId: string,
): readonly Count[] {
  return [{ key: `password:${userId}`, window: { limit, windowSeconds: quarterHour } }]
}

/**
 * The limits for wrong codes of an account's second factor. Six digits are few: the second limit bounds
 * what patience can find. A passkey cannot be guessed, so its answers are not counted.
 */
export function factorCounts(
  { secondFactorAttemptsLimit: limit }: Pick<Config, 'secondFactorAttemptsLimit'>,
  userId: string,
  proof: FactorProof,
): readonly Count[] {
  if (proof.kind === 'passkey') return []
  const key = `${isRecoveryCode(proof) ? 'recovery-code' : 'app-code'}:${userId}`
  return [
    { key, window: { limit, windowSeconds: quarterHour } },
    { key: `${key}:day`, window: { limit: 5 * limit, windowSeconds: daySeconds } },
  ]
}

/**
 * Counts a guess before it is made, so that parallel guesses cannot pass the limit together. Only wrong
 * guesses stay counted: a right guess, a refused one and one that failed to run are uncounted again.
 *
 * @throws Fault guesses_limited; and what `guess` throws
 */
export async function countingGuess<T>(
  ctx: Pick<Context, 'limits'>,
  counts: readonly Count[],
  guess: () => Promise<T>,
): Promise<T> {
  await requireAllowed(ctx, counts)
  let isCounted = false
  try {
    return await guess()
  } catch (error) {
    isCounted = error instanceof Fault && wrongGuesses.has(error.code)
    throw error
  } finally {
    if (!isCounted) await takeBack(ctx, counts)
  }
}

const wrongGuesses: ReadonlySet<string> = new Set([
  identityFaults.credentials_wrong.code,
  secondFactorFaults.factor_wrong.code,
])

/** A refused guess is uncounted again, so that it does not use up the limit of others at its address. */
async function requireAllowed(
  { limits }: Pick<Context, 'limits'>,
  counts: readonly Count[],
): Promise<void> {
  for (const [index, { key, window }] of counts.entries()) {
    const { allowed, retryAfterSeconds } = await limits.consume(key, window)
    if (allowed) continue
    await takeBack({ limits }, counts.slice(0, index + 1))
    throw new Fault(identityFaults.guesses_limited, { retryAfterSeconds })
  }
}

async function takeBack(
  { limits }: Pick<Context, 'limits'>,
  counts: readonly Count[],
): Promise<void> {
  await Promise.all(counts.map(({ key, window }) => limits.giveBack(key, window)))
}

/** Hashed, so that the stored limits do not reveal who has an account. */
export function accountDigest(email: string): string {
  return createHash('sha256').update(email).digest('base64url')
}
