import type { JWTPayload } from 'jose'
import { Fault } from '#kernel/fault.ts'
import { isObject } from '#kernel/json.ts'
import type { Context } from '#platform/context.ts'
import { IdentityProblem } from './identity-problem.ts'
import type { OpenPage } from './open-page.ts'
import { publicKeysAt } from './public-keys.ts'
import type { VerifiedUser, VisitClaims } from './visit-token.ts'
import { visitorFaults as faults } from './visitor-faults.ts'

/** How much the clocks of the host's server and of this machine may differ. */
const clockToleranceSeconds = 60
/** A token that is valid for longer is worth stealing. */
const longestSeconds = 86_400
const maxTokenLength = 8192
const maxSubject = 200
const maxText = 500
/** Of all claims together: they are part of the visitor's token. */
const maxClaimBytes = 2000

/** What a token says about itself (RFC 7519 §4.1), not about the person. */
const ownClaims = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti', 'sub'])

/** The person, and what vouches for them: the visit ends with it. */
export interface Identity {
  readonly user: VerifiedUser
  readonly vouched: NonNullable<VisitClaims['vouched']>
}

/** Names of claims that are too long themselves are cut. */
const longestName = 100
const mostLeftOut = 20

/** Names of the page's identity secret and of its public keys: others, once an editor has changed them. */
function vouchersOf(
  { vault }: Pick<Context, 'vault'>,
  { identitySealed, settings }: OpenPage,
): { readonly secret: string; readonly keys: string } {
  const { identity_jwks_url: address, identity_issuer, identity_audience } = settings
  const nameOf = (...parts: readonly (string | null)[]) =>
    vault.mac('what vouches for visitors', JSON.stringify(parts)).slice(0, 22)
  return {
    secret: nameOf('secret', identitySealed),
    keys: nameOf('keys', address, identity_issuer, identity_audience),
  }
}

/** Whether nobody is identified, or what vouched for the person still does. */
export function isVouched(
  ctx: Pick<Context, 'vault' | 'clock'>,
  page: OpenPage,
  { user, vouched }: Pick<VisitClaims, 'user' | 'vouched'>,
): boolean {
  if (user === undefined) return true
  if (vouched === undefined || vouched.ends <= ctx.clock.now()) return false
  const { secret, keys } = vouchersOf(ctx, page)
  return vouched.by === secret || vouched.by === keys
}

/**
 * The person whom the host's server vouches for. The algorithm decides on the key, never the other way
 * round (RFC 8725 §3.1): HS256 needs the agent's identity secret, RS256 and ES256 the host's public keys.
 *
 * @throws Fault identity_expired, identity_refused
 */
export async function verifyIdentity(
  ctx: Pick<Context, 'vault' | 'outbound' | 'clock' | 'log'>,
  page: OpenPage,
  token: string,
): Promise<{ readonly identity: Identity; readonly leftOut: readonly string[] }> {
  const isSigned = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
  if (!isSigned || token.length > maxTokenLength) throw new Fault(faults.identity_refused)
  const jose = await import('jose')
  try {
    const { alg } = jose.decodeProtectedHeader(token)
    const isBySecret = alg === 'HS256'
    const payload = isBySecret ? await bySecret(ctx, page, token) : await byKeys(ctx, page, token)
    const { user, leftOut } = userOf(payload, ctx.clock.now())
    const { secret, keys } = vouchersOf(ctx, page)
    // Hosts may write a part of a second (RFC 7519 §2); a visit ends at a whole millisecond.
    const ends = Math.floor(((payload.exp ?? 0) + clockToleranceSeconds) * 1000)
    return { identity: { user, vouched: { by: isBySecret ? secret : keys, ends } }, leftOut }
  } catch (error) {
    if (error instanceof jose.errors.JWTExpired) throw new Fault(faults.identity_expired)
    if (error instanceof Fault) throw error
    // The log helps the host's developers; the visitor learns only that the token is refused.
    const about = { agentId: page.agentId, ...aboutRefusal(error) }
    ctx.log.info(about, 'a token of an identity was refused')
    // Without the cause, which would reach other logs.
    throw new Fault(faults.identity_refused)
  }
}

/** Why a token was refused. An error of `jose` also contains the claims, which are personal data. */
function aboutRefusal(error: unknown): object {
  const { code, claim, reason } = isObject(error) ? error : {}
  return { code, claim, reason }
}

async function bySecret(
  { vault, clock }: Pick<Context, 'vault' | 'clock'>,
  { identitySealed }: OpenPage,
  token: string,
): Promise<JWTPayload> {
  if (identitySealed === null) throw new IdentityProblem('the agent has no identity secret')
  const { jwtVerify } = await import('jose')
  const secret = new TextEncoder().encode(vault.open(identitySealed))
  const { payload } = await jwtVerify(token, secret, {
    ...checks(clock.now()),
    algorithms: ['HS256'],
  })
  return payload
}

async function byKeys(
  ctx: Pick<Context, 'outbound' | 'clock'>,
  { settings, appNameId }: OpenPage,
  token: string,
): Promise<JWTPayload> {
  const { identity_jwks_url: address, identity_issuer: issuer, identity_audience } = settings
  if (address === '') throw new IdentityProblem('the agent has no address of public keys')
  const { jwtVerify } = await import('jose')
  const { payload } = await jwtVerify(token, await publicKeysAt(ctx, address), {
    ...checks(ctx.clock.now()),
    algorithms: ['RS256', 'ES256'],
    // The same keys may sign tokens for other programs.
    audience: identity_audience === '' ? appNameId : identity_audience,
    ...(issuer === '' ? {} : { issuer }),
  })
  return payload
}

function checks(now: number) {
  return {
    currentDate: new Date(now),
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ['sub', 'exp'],
  }
}

/** The person, and the names of the claims that cannot be used. */
function userOf(
  { sub, exp = 0, ...rest }: JWTPayload,
  now: number,
): { readonly user: VerifiedUser; readonly leftOut: readonly string[] } {
  if (exp - now / 1000 > longestSeconds + clockToleranceSeconds)
    throw new IdentityProblem('the token is valid for more than a day')
  const id = sub ?? ''
  if (id.trim() === '' || id.length > maxSubject || !isPlain(id) || isOwnForm(id))
    throw new IdentityProblem('sub is not valid')
  const claims: Record<string, string | number | boolean> = { id }
  const leftOut: string[] = []
  for (const [name, value] of Object.entries(rest)) {
    if (ownClaims.has(name)) continue
    if (isClaimName(name) && isClaimValue(value)) claims[name] = value
    // An empty text says that there is none.
    else if (value !== '' && leftOut.length < mostLeftOut) leftOut.push(name.slice(0, longestName))
  }
  if (Buffer.byteLength(JSON.stringify(claims)) > maxClaimBytes)
    throw new IdentityProblem(`the claims are longer than ${maxClaimBytes} bytes`)
  return { user: claims as VerifiedUser, leftOut }
}

function isClaimName(name: string): boolean {
  return name !== 'id' && /^\w{1,100}$/.test(name)
}

function isClaimValue(value: unknown): value is string | number | boolean {
  if (typeof value === 'string') return isClaimText(value)
  return typeof value === 'number' || typeof value === 'boolean'
}

/** An empty claim says nothing about the person; in an address, it would name all of them. */
function isClaimText(text: string): boolean {
  return text.trim() !== '' && text.length <= maxText && isPlain(text)
}

/** Text of one line: a claim in a prompt must not look like another paragraph of it. */
function isPlain(text: string): boolean {
  return text.isWellFormed() && !/[\p{Cc}\u2028\u2029]/u.test(text)
}

/** Visitors who are not identified have such names. */
function isOwnForm(subject: string): boolean {
  return /^(?:visitor|person):/i.test(subject)
}
