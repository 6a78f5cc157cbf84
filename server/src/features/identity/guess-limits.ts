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
 * Only wrong ones stay counted: one that is right, that was not let through, or that could not be
 * looked at is taken back.
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
    isCounted = isWrong(error)
    throw error
  } finally {
    if (!isCounted) await takeBack(ctx, counts)
  }
}

/** Who goes on at an account that waits must not use up what others at the same address have. */
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
  for (const { key, window } of counts) await limits.giveBack(key, window)
}

function isWrong(error: unknown): boolean {
  return error instanceof Fault && error.code === identityFaults.credentials_wrong.code
}

/** The counts are no place to read who has an account. */
function digest(email: string): string {
  return createHash('sha256').update(email).digest('base64url')
}
