import { z } from 'zod'
import { signInWithOpenId } from '#features/identity/index.ts'
import { admitInvited } from '#features/members/index.ts'
import { Fault } from '#kernel/fault.ts'
import { hashToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import type { OpenIdProvider } from '#platform/openid/openid-provider.ts'
import { clearCookie, readCookie, readTokenCookie, writeCookie } from '#surfaces/http/cookies.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'
import { pathTo, serviceAddress } from '#surfaces/http/service-address.ts'
import { visitorOf, writeSession } from '#surfaces/http/signed-in.ts'
import { openIdFaults } from './account-faults.ts'
import { returnPath } from './login.ts'

/** Long enough for a person to find their phone for the second factor. */
const journeySeconds = 15 * 60

/** The data that the browser keeps, sealed, while the person is at the provider. */
const journeyForm = z.object({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string(),
  startedAt: z.number(),
  /** The hash of the session's token in which it began; null without one. */
  session: z.string().nullable(),
})

/** GET /login/oidc: sends the person to the provider. */
export async function beginOpenId(ctx: Context, c: Http): Promise<Response> {
  const provider = requireProvider(ctx)
  const returnTo = returnPath(ctx.config, c.req.query('return_to') ?? null)
  const { address, journey } = await openId(() =>
    provider.begin(callbackAddress(ctx), c.req.query('again') === 'true'),
  )
  const kept = { ...journey, returnTo, startedAt: ctx.clock.now(), session: sessionOf(ctx, c) }
  const value = ctx.vault.seal(JSON.stringify(kept))
  writeCookie(c, ctx.config, { name: 'openid', value, maxAgeSeconds: journeySeconds })
  c.header('Cache-Control', 'no-store')
  return c.redirect(address.href, 303)
}

/** GET /login/oidc/callback: the return from the provider, which must be in the same browser. */
export async function finishOpenId(ctx: Context, c: Http): Promise<Response> {
  const provider = requireProvider(ctx)
  const { returnTo, ...journey } = requireJourney(ctx, c)
  clearCookie(c, ctx.config, 'openid')
  const returned = new URL(callbackAddress(ctx))
  returned.search = new URL(c.req.url).search
  const person = await openId(() => provider.complete(returned, journey))
  const invitation = invitationIn(ctx, returnTo)
  const admit = invitation === null ? undefined : admitInvited(ctx, invitation)
  const result = await signInWithOpenId(ctx, person, visitorOf(ctx, c), admit)
  c.header('Cache-Control', 'no-store')
  return c.redirect(writeSession(ctx, c, result, returnTo), 303)
}

/** A person who follows an invitation may get an account through it. */
function invitationIn({ config }: Context, returnTo: string): string | null {
  const start = pathTo(config, '/invitations/')
  return returnTo.startsWith(start) ? returnTo.slice(start.length) : null
}

function requireProvider({ openId }: Context): OpenIdProvider {
  if (openId === null) throw new Fault(requestFaults.unknown_path)
  return openId
}

function callbackAddress({ config }: Context): string {
  return `${serviceAddress(config).href.replace(/\/$/, '')}/login/oidc/callback`
}

function sessionOf({ config }: Context, c: Http): string | null {
  const token = readTokenCookie(c, config, 'session')
  return token === null ? null : hashToken(token)
}

function requireJourney(ctx: Context, c: Http): z.infer<typeof journeyForm> {
  const sealed = readCookie(c, ctx.config, 'openid')
  const journey = sealed === null ? null : openSealed(ctx, sealed)
  const isRecent = journey !== null && ctx.clock.now() - journey.startedAt < journeySeconds * 1000
  // Another host of the domain can set this cookie, but not replace a session by its own with it.
  if (!isRecent || journey.session !== sessionOf(ctx, c)) throw new Fault(openIdFaults.openid_stale)
  return journey
}

function openSealed({ vault, log }: Context, sealed: string) {
  try {
    return journeyForm.parse(JSON.parse(vault.open(sealed)))
  } catch (error) {
    log.info({ err: error }, 'a sign-in returned with an invalid cookie')
    return null
  }
}

/** Errors of the provider are logged as the cause; the page asks the person to try again. */
async function openId<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    throw new Fault(openIdFaults.openid_failed, {}, { cause })
  }
}
