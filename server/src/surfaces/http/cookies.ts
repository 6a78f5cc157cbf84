import { getCookie, setCookie } from 'hono/cookie'
import type { Config } from '#config'
import type { Http } from './environment.ts'
import { isSecureAddress } from './service-address.ts'

type Addressed = Pick<Config, 'baseUrl'>

/**
 * Our cookies. `browser` is a browser's own secret, kept before and after sign-in: forms and
 * authorization requests are tied to it. `openid` holds, sealed, a sign-in that is at the provider.
 */
export type CookieName = 'session' | 'browser' | 'openid'

/** Our tokens are 32 bytes in base64url; any other value was not set by us. */
const tokenForm = /^[A-Za-z0-9_-]{43}$/

export function readCookie(c: Http, config: Addressed, name: CookieName): string | null {
  return getCookie(c, cookieName(config, name)) ?? null
}

/** A cookie that holds a 256-bit token; null where it is not one. */
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

/** `__Host-` keeps other hosts of the domain, and plain http, from setting it (RFC 6265bis §4.1.3). */
function cookieName(config: Addressed, name: CookieName): string {
  return `${isSecureAddress(config) ? '__Host-' : ''}parley_${name}`
}

function attributes(config: Addressed) {
  // Lax: people come back from an application or a provider with their session (RFC 6265bis §5.6.7).
  return { path: '/', httpOnly: true, sameSite: 'Lax', secure: isSecureAddress(config) } as const
}
