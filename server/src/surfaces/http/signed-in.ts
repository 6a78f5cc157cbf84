import {
  findSession,
  identityFaults,
  rememberBrowser,
  isWhole,
  type Session,
  type SignInResult,
  type Visitor,
} from '#features/identity/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { clientAddress } from './client-address.ts'
import {
  clearCookie,
  hasForeignCookie,
  readCookie,
  readTokenCookie,
  writeCookie,
} from './cookies.ts'
import type { Http } from './environment.ts'
import { requestFaults } from './request-faults.ts'
import { pathTo } from './service-address.ts'

/**
 * The session of the request's cookie; null without one.
 *
 * @throws Fault foreign_cookie if there are two: asking for a sign-in would lead nowhere
 */
export async function readSession(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'log'>,
  c: Http,
): Promise<Session | null> {
  if (hasForeignCookie(c, ctx.config, 'session')) throw new Fault(requestFaults.foreign_cookie)
  const token = readTokenCookie(c, ctx.config, 'session')
  return token === null ? null : await findSession(ctx, token)
}

/**
 * Sets the cookie of a session at all its paths again. A browser may have dropped it at some of them; the
 * pages there would lead to the sign-in, and that back to them.
 */
export function renewSessionCookie({ config }: Pick<Context, 'config'>, c: Http): void {
  const value = readTokenCookie(c, config, 'session')
  if (value === null) return
  writeCookie(c, config, { name: 'session', value, maxAgeSeconds: config.sessionLifetimeSeconds })
}

/** @throws Fault not_signed_in */
export async function requireSession(
  ctx: Pick<Context, 'db' | 'clock' | 'config' | 'log'>,
  c: Http,
): Promise<Session> {
  const session = await readSession(ctx, c)
  if (session === null) throw new Fault(identityFaults.not_signed_in)
  return session
}

/** The browser of a request, as signing in needs it. */
export function visitorOf({ config }: Pick<Context, 'config'>, c: Http): Visitor {
  return {
    address: clientAddress(c, config),
    userAgent: c.req.header('user-agent') ?? null,
    sessionToken: readTokenCookie(c, config, 'session'),
    deviceCookie: readCookie(c, config, 'device'),
  }
}

/**
 * Sets the cookies of a person who has just signed in, or who still needs a second factor.
 *
 * @returns the path to continue at: `returnTo`, or the second step
 */
export function writeSession(
  ctx: Pick<Context, 'config' | 'vault' | 'clock'>,
  c: Http,
  result: SignInResult,
  returnTo: string,
): string {
  const { config } = ctx
  if (!isWhole(result)) {
    const maxAgeSeconds = config.secondFactorSeconds
    writeCookie(c, config, { name: 'half', value: result.halfToken, maxAgeSeconds })
    return pathTo(config, '/login/second-factor', { return_to: returnTo })
  }
  const { token, session } = result
  const maxAgeSeconds = config.sessionLifetimeSeconds
  writeCookie(c, config, { name: 'session', value: token, maxAgeSeconds })
  const device = rememberBrowser(ctx, readCookie(c, config, 'device'), session.user.email)
  writeCookie(c, config, {
    name: 'device',
    value: device,
    maxAgeSeconds: config.knownBrowserSeconds,
  })
  if (readCookie(c, config, 'half') !== null) clearCookie(c, config, 'half')
  return returnTo
}
