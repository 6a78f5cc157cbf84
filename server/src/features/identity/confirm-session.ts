import {
  beginProof,
  hasSecondFactor,
  proveFactor,
  type FactorProof,
  type ProofWays,
} from '#features/second-factors/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { acceptsPasswords, requirePasswords } from './accepted-methods.ts'
import { countingGuess, factorCounts, passwordChangeCounts } from './guess-limits.ts'
import { identityFaults } from './identity-faults.ts'
import { verifyPassword } from './password.ts'
import { recordPersonal, recordWrongPassword } from './record-personal.ts'
import { markConfirmed } from './session-store.ts'
import type { Session } from './sessions.ts'
import { findUserRowById } from './store.ts'

type ConfirmContext = Pick<Context, 'db' | 'clock' | 'config' | 'limits' | 'vault'>
type Confirming = Pick<Session, 'id' | 'user' | 'address'>

export type Confirmation = FactorProof | { readonly kind: 'password'; readonly password: string }

/** How a person can confirm that it is them. Without any, they sign in again at their provider. */
export interface ConfirmationWays {
  /** For a person without a second factor. */
  readonly password: boolean
  readonly factor: ProofWays | null
}

/**
 * Whoever has a second factor confirms with it, because a thief of an open session may know the
 * password; everyone else confirms with the password.
 */
export async function beginConfirmation(
  ctx: ConfirmContext,
  session: Confirming,
): Promise<ConfirmationWays> {
  const userId = session.user.id
  if (await hasSecondFactor(ctx.db.read, userId))
    return { password: false, factor: await beginProof(ctx, proverOf(session)) }
  const row = await findUserRowById(ctx.db.read, userId)
  const hasPassword = (row?.password_hash ?? null) !== null
  return { password: hasPassword && acceptsPasswords(ctx.config), factor: null }
}

/**
 * Notes that the person of this session has just proved who they are. Wrong passwords and codes are
 * limited per account.
 *
 * @throws Fault passwords_off, credentials_wrong, factor_wrong, challenge_expired, guesses_limited
 */
export async function confirmSession(
  ctx: ConfirmContext,
  session: Confirming,
  given: Confirmation,
): Promise<void> {
  const userId = session.user.id
  if (given.kind === 'password')
    await countingGuess(ctx, passwordChangeCounts(ctx.config, userId), () =>
      provePassword(ctx, session, given.password),
    )
  else
    await countingGuess(ctx, factorCounts(ctx.config, userId, given), () =>
      proveFactor(ctx, proverOf(session), given),
    )
  await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    await markConfirmed(tx, session.id, now)
    await recordPersonal(tx, now, userId, 'confirm_identity', session)
  })
}

async function provePassword(
  ctx: ConfirmContext,
  session: Confirming,
  password: string,
): Promise<void> {
  requirePasswords(ctx.config)
  const userId = session.user.id
  const needsFactor = await hasSecondFactor(ctx.db.read, userId)
  const hash = (await findUserRowById(ctx.db.read, userId))?.password_hash ?? null
  if ((await verifyPassword(password, hash)) && !needsFactor) return
  const attempt = { userId, action: 'confirm_identity' } as const
  await ctx.db.write((tx) => recordWrongPassword(tx, ctx.clock.now(), attempt, session))
  throw new Fault(identityFaults.credentials_wrong)
}

function proverOf({ id, user, address }: Confirming) {
  return { userId: user.id, holder: id, address }
}

/** Whether the person signed in or confirmed within `CONFIRMATION_SECONDS`. */
export function isConfirmed(
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  { confirmedAt }: Pick<Session, 'confirmedAt'>,
): boolean {
  return clock.now() - confirmedAt < config.confirmationSeconds * 1000
}

/** @throws Fault confirmation_required */
export function requireConfirmed(
  ctx: Pick<Context, 'clock' | 'config'>,
  session: Pick<Session, 'confirmedAt'>,
): void {
  if (!isConfirmed(ctx, session)) throw new Fault(identityFaults.confirmation_required)
}
