import { requireLiveCredential } from '#features/credentials/index.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import { findChallenge, putChallenge, takeChallenge, type Purpose } from './challenge-store.ts'
import {
  creationOptions,
  verifyCreation,
  type PasskeyAnswer,
  type PasskeyCreation,
} from './passkeys.ts'
import { mintRecoveryCodes } from './recovery-codes.ts'
import { relyingParty, type RelyingParty } from './relying-party.ts'
import { secondFactorFaults } from './second-factor-faults.ts'
import { addFactor, type Holder } from './second-factors.ts'
import { listFactorRows, type FactorRow } from './store.ts'
import { createAppSecret, stepOfCode, uriOf, type AppSecret } from './totp.ts'

type AddContext = Pick<Context, 'db' | 'clock' | 'config' | 'vault'>

const maxNameLength = 100

/** A new secret for an authenticator app, which counts after its first code. */
export async function beginApp(ctx: AddContext, holder: Holder): Promise<AppSecret> {
  const made = await createAppSecret(holder.email)
  await store(ctx, holder, 'add_totp', ctx.vault.seal(made.secret))
  return made
}

/** The secret that is being added, to show it again after a wrong code. @throws Fault challenge_expired */
export async function pendingApp(ctx: AddContext, holder: Holder): Promise<AppSecret> {
  const secret = await pendingSecret(ctx, holder)
  return { secret, uri: await uriOf(secret, holder.email) }
}

/**
 * Adds the authenticator app that shows this code.
 *
 * @returns recovery codes to show once, with the person's first factor; else null
 * @throws Fault credential_ended, factor_wrong, challenge_expired, too_many_factors
 */
export async function finishApp(
  ctx: AddContext,
  holder: Holder,
  given: { readonly code: string; readonly name: string },
): Promise<readonly string[] | null> {
  const secret = await pendingSecret(ctx, holder)
  const now = ctx.clock.now()
  const step = await stepOfCode(secret, given.code.replace(/\s/g, ''), now)
  if (step === null) throw new Fault(secondFactorFaults.factor_wrong)
  const secret_sealed = ctx.vault.seal(secret)
  const row = { ...emptyRow(holder, now, given.name), kind: 'totp', secret_sealed, last_step: step }
  return await finish(ctx, holder, 'add_totp', row)
}

/** @returns what the browser needs to create a passkey. @throws Fault passkeys_impossible */
export async function beginPasskey(ctx: AddContext, holder: Holder): Promise<PasskeyCreation> {
  const person = { id: holder.userId, email: holder.email, name: holder.name }
  const known = await listFactorRows(ctx.db.read, holder.userId)
  const timeoutMs = ctx.config.secondFactorSeconds * 1000
  const options = await creationOptions(requireParty(ctx), person, { known, timeoutMs })
  await store(ctx, holder, 'add_passkey', options.challenge)
  return options
}

/**
 * Adds the passkey that the browser created.
 *
 * @returns as `finishApp`
 * @throws Fault credential_ended, factor_wrong, challenge_expired, too_many_factors, passkeys_impossible
 */
export async function finishPasskey(
  ctx: AddContext,
  holder: Holder,
  given: { readonly answer: PasskeyAnswer; readonly name: string },
): Promise<readonly string[] | null> {
  const party = requireParty(ctx)
  const wanted = wantedOf(ctx, holder, 'add_passkey')
  const challenge = await ctx.db.write((tx) => takeChallenge(tx, wanted))
  if (challenge === undefined) throw new Fault(secondFactorFaults.challenge_expired)
  const passkey = await verifyCreation(party, given.answer, challenge)
  const row = { ...emptyRow(holder, wanted.now, given.name), kind: 'passkey', ...passkey }
  return await finish(ctx, holder, null, row)
}

async function finish(
  ctx: AddContext,
  holder: Holder,
  purpose: Purpose | null,
  row: FactorRow,
): Promise<readonly string[] | null> {
  const codes = mintRecoveryCodes()
  const areNew = await ctx.db.write(async (tx) => {
    await requireLiveCredential(tx, { session: holder.sessionId })
    if (purpose !== null && (await takeChallenge(tx, wantedOf(ctx, holder, purpose))) === undefined)
      throw new Fault(secondFactorFaults.challenge_expired)
    return await addFactor(tx, ctx.clock.now(), holder, { row, codes })
  })
  return areNew ? codes : null
}

function emptyRow({ userId }: Holder, now: number, name: string): Omit<FactorRow, 'kind'> {
  return {
    id: newId(now),
    user_id: userId,
    name: name.trim().slice(0, maxNameLength),
    secret_sealed: null,
    last_step: null,
    credential_id: null,
    public_key: null,
    sign_count: null,
    transports_json: null,
    created_at: now,
    last_used_at: null,
  }
}

async function pendingSecret(ctx: AddContext, holder: Holder): Promise<string> {
  const sealed = await findChallenge(ctx.db.read, wantedOf(ctx, holder, 'add_totp'))
  if (sealed === undefined) throw new Fault(secondFactorFaults.challenge_expired)
  return ctx.vault.open(sealed)
}

function wantedOf({ clock }: AddContext, { sessionId, userId }: Holder, purpose: Purpose) {
  return { holder: sessionId, purpose, userId, now: clock.now() }
}

async function store(ctx: AddContext, holder: Holder, purpose: Purpose, value: string) {
  const expires_at = ctx.clock.now() + ctx.config.secondFactorSeconds * 1000
  const { sessionId, userId: user_id } = holder
  const row = { holder: sessionId, purpose, user_id, value, expires_at }
  await ctx.db.write((tx) => putChallenge(tx, row))
}

function requireParty({ config }: AddContext): RelyingParty {
  const party = relyingParty(config)
  if (party === null) throw new Fault(secondFactorFaults.passkeys_impossible)
  return party
}
