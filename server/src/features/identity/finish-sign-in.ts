import {
  beginProof,
  proveFactor,
  type FactorProof,
  type ProofWays,
} from '#features/second-factors/index.ts'
import { Fault } from '#kernel/fault.ts'
import { hashToken, mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { countingGuess, factorCounts } from './guess-limits.ts'
import { findHalfSignIn, takeHalfSignIn } from './half-sign-in-store.ts'
import { identityFaults } from './identity-faults.ts'
import { recordPersonal } from './record-personal.ts'
import { openWholeSession, type NewSession, type Visitor } from './sessions.ts'

type StepContext = Pick<Context, 'db' | 'clock' | 'config' | 'limits' | 'vault'>

/**
 * The second step of a sign-in: how its person can prove that it is them.
 *
 * @throws Fault second_step_expired
 */
export async function beginSecondStep(
  ctx: StepContext,
  halfToken: string,
  visitor: Pick<Visitor, 'address'>,
): Promise<ProofWays> {
  const half = await requireHalf(ctx, halfToken)
  return await beginProof(ctx, proverOf(half, visitor))
}

/**
 * Finishes a sign-in with a second factor. Wrong codes are limited per account.
 *
 * @throws Fault second_step_expired, factor_wrong, challenge_expired, guesses_limited
 */
export async function finishSignIn(
  ctx: StepContext,
  halfToken: string,
  proof: FactorProof,
  visitor: Visitor,
): Promise<NewSession> {
  const half = await requireHalf(ctx, halfToken)
  await countingGuess(ctx, factorCounts(ctx.config, half.id, proof), () =>
    proveFactor(ctx, proverOf(half, visitor), proof),
  )
  const minted = mintToken('')
  return await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    if (!(await takeHalfSignIn(tx, half.hash, now)))
      throw new Fault(identityFaults.second_step_expired)
    await recordPersonal(tx, now, half.id, 'sign_in', visitor)
    const { method, openIdSession } = half
    return await openWholeSession(tx, ctx, { user: half, method, openIdSession, minted, visitor })
  })
}

type Half = NonNullable<Awaited<ReturnType<typeof findHalfSignIn>>>

async function requireHalf(ctx: StepContext, halfToken: string): Promise<Half> {
  const half = await findHalfSignIn(ctx.db.read, hashToken(halfToken), ctx.clock.now())
  if (half === undefined) throw new Fault(identityFaults.second_step_expired)
  return half
}

function proverOf({ id, hash }: Half, { address }: Pick<Visitor, 'address'>) {
  return { userId: id, holder: hash, address }
}
