import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { putChallenge, takeChallenge } from './challenge-store.ts'
import { requestOptions, verifyUse, type PasskeyAnswer, type PasskeyRequest } from './passkeys.ts'
import { recordFactor } from './record-factor.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import { relyingParty } from './relying-party.ts'
import { secondFactorFaults } from './second-factor-faults.ts'
import { listFactorRows, moveSignCount, spendCode, spendStep, type FactorRow } from './store.ts'
import { isAppCode, stepOfCode } from './totp.ts'

type ProveContext = Pick<Context, 'db' | 'clock' | 'config' | 'vault'>

/** A person in a browser: a session's id, or the hash of a half-finished sign-in. */
export interface Prover {
  readonly userId: string
  readonly holder: string
  readonly address: string | null
}

/** A code of an authenticator app or a recovery code, or a passkey's answer. */
export type FactorProof =
  | { readonly kind: 'code'; readonly code: string }
  | { readonly kind: 'passkey'; readonly answer: PasskeyAnswer }

/** How a person can prove that it is them. */
export interface ProofWays {
  readonly hasApp: boolean
  /** For the browser; null without a passkey, or where passkeys do not work. */
  readonly passkey: PasskeyRequest | null
}

/** Begins a proof; the passkey's challenge is valid once, and replaces the earlier one. */
export async function beginProof(ctx: ProveContext, prover: Prover): Promise<ProofWays> {
  const rows = await listFactorRows(ctx.db.read, prover.userId)
  const passkeys = rows.filter(({ kind }) => kind === 'passkey')
  const hasApp = passkeys.length < rows.length
  const party = relyingParty(ctx.config)
  if (party === null || passkeys.length === 0) return { hasApp, passkey: null }
  const timeoutMs = ctx.config.secondFactorSeconds * 1000
  const passkey = await requestOptions(party, passkeys, timeoutMs)
  await ctx.db.write((tx) =>
    putChallenge(tx, {
      holder: prover.holder,
      purpose: 'prove',
      user_id: prover.userId,
      value: passkey.challenge,
      expires_at: ctx.clock.now() + timeoutMs,
    }),
  )
  return { hasApp, passkey }
}

/** Whether a typed code is a recovery code rather than one of an app: they are counted separately. */
export function isRecoveryCode(proof: FactorProof): boolean {
  return proof.kind === 'code' && !isAppCode(proof.code)
}

/**
 * Checks a second factor. A code works once, a passkey's answer only for its challenge.
 *
 * @throws Fault factor_wrong, challenge_expired
 */
export async function proveFactor(
  ctx: ProveContext,
  prover: Prover,
  proof: FactorProof,
): Promise<void> {
  const isProven =
    proof.kind === 'passkey'
      ? await provePasskey(ctx, prover, proof.answer)
      : isAppCode(proof.code)
        ? await proveAppCode(ctx, prover, proof.code.replace(/\s/g, ''))
        : await proveRecoveryCode(ctx, prover, proof.code)
  if (!isProven) throw new Fault(secondFactorFaults.factor_wrong)
}

async function proveAppCode(ctx: ProveContext, { userId }: Prover, code: string): Promise<boolean> {
  const now = ctx.clock.now()
  for (const { id, secret_sealed } of await listFactorRows(ctx.db.read, userId)) {
    const secret = secret_sealed === null ? null : ctx.vault.open(secret_sealed)
    const step = secret === null ? null : await stepOfCode(secret, code, now)
    if (step !== null && (await ctx.db.write((tx) => spendStep(tx, id, step, now)))) return true
  }
  return false
}

async function proveRecoveryCode(
  ctx: ProveContext,
  { userId, address }: Prover,
  code: string,
): Promise<boolean> {
  const now = ctx.clock.now()
  return await ctx.db.write(async (tx) => {
    if (!(await spendCode(tx, hashRecoveryCode(userId, code), now))) return false
    await recordFactor(tx, now, { userId, address, action: 'use_recovery_code' })
    return true
  })
}

async function provePasskey(
  ctx: ProveContext,
  { userId, holder }: Prover,
  answer: PasskeyAnswer,
): Promise<boolean> {
  const party = relyingParty(ctx.config)
  const now = ctx.clock.now()
  const wanted = { holder, purpose: 'prove', userId, now } as const
  const challenge = await ctx.db.write((tx) => takeChallenge(tx, wanted))
  if (party === null || challenge === undefined)
    throw new Fault(secondFactorFaults.challenge_expired)
  const known: readonly FactorRow[] = await listFactorRows(ctx.db.read, userId)
  const { row, signCount } = await verifyUse(party, known, { answer, challenge })
  return await ctx.db.write((tx) => moveSignCount(tx, row, signCount, now))
}
