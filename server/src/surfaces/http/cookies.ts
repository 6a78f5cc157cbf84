import { getCookie, setCookie } from 'hono/cookie'
import type { Config } from '#config'
import type { Http } from './environment.ts'
import { isSecureAddress } from './service-address.ts'

type Addressed = Pick<Config, 'baseUrl'>

/**
 * Our cookies. `browser` is a browser's own secret, kept before and after sign-in: forms and
 * authorization requests are tied to it. `openid` holds the sealed state of a sign-in at the
 * provider. `device` shows which people signed in with the browser before. `half` is a sign-in
 * whose second factor is missing.
 */
export type CookieName = 'session' | 'browser' | 'openid' | 'device' | 'half'

/** Our tokens are 32 bytes in base64url; any other value was not set by us. */
const tokenForm = /^[A-Za-z0-9_-]{43}$/

export function readCookie(c: Http, config: Addressed, name: CookieName): string | null {
  return getCookie(c, cookieName(config, name)) ?? null
}

/** A cookie that holds a 256-bit token; null if it holds anything else. */
export function readTokenCookie(c: Http, config: Addressed, name: CookieName): string | null {
  const value = readCookie(c, config, name)
  return value !== null && tokenForm.test(value) ? value : null
}

/** @param maxAgeSeconds how long the browser keeps it; until it is closed when left out */
export function writeCookie(
  c: Http,
  config: Addressed,
  cookie: { name: CookieName; value: string; maxAgeSeconds?: number },
): void {
  setCookie(c, cookieName(config, cookie.name), cookie.value, {
    ...attributes(config),
    ...(cookie.maxAgeSeconds === undefined ? {} : { maxAge: cookie.maxAgeSeconds }),
  })
}

export function clearCookie(c: Http, config: Addressed, name: CookieName): void {
  setCookie(c, cookieName(config, name), '', { ...attributes(config), maxAge: 0 })
}

/**
 * With `__Host-`, no other host of the domain and no plain http can set it (RFC 6265bis §4.1.3).
 */
function cookieName(config: Addressed, name: CookieName): string {
  return `${isSecureAddress(config) ? '__Host-' : ''}parley_${name}`
}

function attributes(config: Addressed) {
  // Lax: people keep their session when they return from an application or a provider (RFC 6265bis
  // §5.6.7).
  return { path: '/', httpOnly: true, sameSite: 'Lax', secure: isSecureAddress(config) } as const
}
