import { createHash } from 'node:crypto'
import { Fault } from '#kernel/fault.ts'
import { mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { OpenPage } from './open-page.ts'
import { endUserOf } from './visit.ts'
import { isSame, type VisitClaims } from './visit-token.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

/** A browser needs about 65,000 hashes: a tenth of a second to a second. */
const bits = 16
const validSeconds = 120
const purpose = 'visitor proof'

/**
 * While an agent receives many messages, each needs a proof of work, which makes a flood far more
 * expensive than the messages of a person. No third party is involved.
 *
 * @param proof `challenge nonce`; null for none
 * @throws Fault proof_required
 */
export async function requireProof(
  ctx: Pick<Context, 'config' | 'limits' | 'vault' | 'clock'>,
  { agentId }: OpenPage,
  visit: VisitClaims,
  proof: string | null,
): Promise<void> {
  const limit = ctx.config.visitorProofAt
  if (limit === null) return
  const window = { limit, windowSeconds: 60 }
  const { allowed } = await ctx.limits.consumeInBlocks(`visitors:${agentId}`, window)
  if (allowed || (await isProof(ctx, `${agentId} ${endUserOf(visit)}`, proof))) return
  const challenge = challengeFor(ctx, `${agentId} ${endUserOf(visit)}`)
  throw new Fault(faults.proof_required, { challenge, bits })
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
