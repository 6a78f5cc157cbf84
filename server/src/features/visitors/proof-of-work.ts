import { createHash } from 'node:crypto'
import { Fault } from '#kernel/fault.ts'
import { mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { captchaAddress, captchaOf, verifyCaptcha } from './captcha.ts'
import { limitVisitor } from './limit-visitor.ts'
import type { OpenPage } from './open-page.ts'
import { endUserOf } from './visit.ts'
import { isSame, type VisitClaims } from './visit-token.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

/** A browser needs about 65,000 hashes: a tenth of a second to a second. */
const bits = 16
const validSeconds = 120
const purpose = 'visitor proof'

interface Proving {
  /** `challenge nonce` or the token of a captcha, empty if the browser could not show it; null for none. */
  readonly proof: string | null
  /** The visitor's address. */
  readonly address: string
}

/**
 * While an agent receives many messages, each needs a proof of work, which makes a flood far more
 * expensive than the messages of a person. No third party is involved, unless the operator has chosen
 * a captcha: it then takes the place of the proof.
 *
 * @throws Fault proof_required, captcha_required, visitor_limited
 */
export async function requireProof(
  ctx: Pick<Context, 'config' | 'limits' | 'vault' | 'clock' | 'outbound' | 'log'>,
  page: OpenPage,
  visit: VisitClaims,
  given: Proving,
): Promise<void> {
  const { agentId } = page
  const limit = ctx.config.visitorProofAt
  if (limit === null) return
  const window = { limit, windowSeconds: 60 }
  const { allowed } = await ctx.limits.consumeInBlocks(`visitors:${agentId}`, window)
  if (allowed || (await isProof(ctx, `${agentId} ${endUserOf(visit)}`, given.proof))) return
  if ((await captchaVerdict(ctx, page, visit, given)) === 'passed') return
  const challenge = challengeFor(ctx, `${agentId} ${endUserOf(visit)}`)
  throw new Fault(faults.proof_required, { challenge, bits })
}

/**
 * While the captcha's provider gives no verdict, a proof of work is required after all. Only then does a
 * visitor get a challenge for one, so nobody can choose the proof instead.
 *
 * @throws Fault captcha_required, visitor_limited
 */
async function captchaVerdict(
  ctx: Pick<Context, 'config' | 'limits' | 'outbound' | 'log'>,
  page: OpenPage,
  visit: VisitClaims,
  { proof, address }: Proving,
): Promise<'passed' | 'unknown'> {
  const captcha = captchaOf(ctx.config)
  if (captcha === null) return 'unknown'
  const required = new Fault(faults.captcha_required, { check: captchaAddress(ctx.config) })
  if (proof === null) throw required
  await limitVisitor(ctx, 'captcha', page, visit, address)
  const verdict = await verifyCaptcha(ctx, captcha, proof)
  if (verdict === 'refused') throw required
  return verdict
}

/** Signed, so that nothing is stored until it is solved. */
function challengeFor({ vault, clock }: Pick<Context, 'vault' | 'clock'>, visitor: string): string {
  const ends = clock.now() + validSeconds * 1000
  const fresh = `${ends}.${mintToken('').token.slice(0, 22)}`
  return `${fresh}.${vault.mac(purpose, `${visitor} ${fresh}`)}`
}

async function isProof(
  { vault, clock, limits }: Pick<Context, 'vault' | 'clock' | 'limits'>,
  visitor: string,
  proof: string | null,
): Promise<boolean> {
  const [challenge = '', nonce] = proof !== null && proof.length <= 300 ? proof.split(' ') : []
  const [ends = '', random = '', mac = ''] = challenge.split('.')
  if (nonce === undefined || !isSame(mac, vault.mac(purpose, `${visitor} ${ends}.${random}`)))
    return false
  if (Number(ends) <= clock.now() || !hasZeros(proof ?? '')) return false
  // Each is good for one message.
  const once = { limit: 1, windowSeconds: validSeconds }
  return (await limits.consume(`proof:${random}`, once)).allowed
}

function hasZeros(proof: string): boolean {
  return createHash('sha256').update(proof).digest().readUInt32BE(0) >>> (32 - bits) === 0
}
