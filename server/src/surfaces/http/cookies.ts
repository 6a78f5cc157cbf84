import { setCookie } from 'hono/cookie'
import type { Config } from '#config'
import type { Http } from './environment.ts'
import { basePath, isSecureAddress, pathTo } from './service-address.ts'

type Addressed = Pick<Config, 'baseUrl'>

/**
 * Our cookies. `browser` is a browser's own secret, kept before and after sign-in: forms and
 * authorization requests are tied to it. `openid` holds the sealed state of a sign-in at the
 * provider. `device` shows which people signed in with the browser before. `half` is a sign-in
 * whose second factor is missing.
 */
export type CookieName = 'session' | 'browser' | 'openid' | 'device' | 'half'

const formPaths = [
  '/login',
  '/setup',
  '/invitations',
  '/account',
  '/sign-out',
  '/mcp/oauth/consent',
  '/api/dashboard',
]

/**
 * Where browsers send each cookie: to the addresses that read it. None covers the start page or
 * `/chat`, which shows what strangers and models write.
 */
const pathsOf: Readonly<Record<CookieName, readonly string[]>> = {
  session: [...formPaths, '/home', '/agents', '/settings'],
  browser: [...formPaths, '/mcp/oauth/authorize', '/authorize'],
  openid: ['/login/oidc'],
  device: ['/login', '/setup', '/invitations'],
  half: ['/login'],
}

/** Our tokens are 32 bytes in base64url; any other value was not set by us. */
const tokenForm = /^[A-Za-z0-9_-]{43}$/

/**
 * The value of a cookie of ours; null without one. Different values under one name also give null: another
 * host of the domain has set one of them, and nothing tells which. So does a request to an address to which
 * browsers do not send our cookie.
 */
export function readCookie(c: Http, config: Addressed, name: CookieName): string | null {
  if (!isCovered(c, config, name)) return null
  const [value = null, ...others] = valuesOf(c, cookieName(config, name))
  return others.length === 0 ? value : null
}

/** Whether another host of the domain has set a cookie with the name of ours beside it. */
export function hasForeignCookie(c: Http, config: Addressed, name: CookieName): boolean {
  return isCovered(c, config, name) && valuesOf(c, cookieName(config, name)).size > 1
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
  clearOldCookie(c, config, cookie.name)
  setEverywhere(c, config, cookie)
}

export function clearCookie(c: Http, config: Addressed, name: CookieName): void {
  clearOldCookie(c, config, name)
  setEverywhere(c, config, { name, value: '', maxAgeSeconds: 0 })
}

function setEverywhere(
  c: Http,
  config: Addressed,
  { name, value, maxAgeSeconds }: { name: CookieName; value: string; maxAgeSeconds?: number },
): void {
  const age = maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }
  for (const path of pathsOf[name])
    setCookie(c, cookieName(config, name), value, {
      ...attributes(config, pathTo(config, path)),
      ...age,
    })
}

/**
 * No plain http can set a cookie with `__Secure-`. `__Host-` would keep out other hosts of the domain
 * too, but browsers then require the path `/` (RFC 6265bis §4.1.3).
 */
function cookieName(config: Addressed, name: CookieName): string {
  return `${isSecureAddress(config) ? '__Secure-' : ''}parley_${name}`
}

function attributes(config: Addressed, path: string) {
  // Lax: people keep their session when they return from an application or a provider (RFC 6265bis
  // §5.6.7).
  return { path, httpOnly: true, sameSite: 'Lax', secure: isSecureAddress(config) } as const
}

/** The values of a cookie in a request; a client that ignores paths sends one value several times. */
function valuesOf(c: Http, name: string): ReadonlySet<string> {
  // Only these two are white space here: with another one before it, a name is not that of a cookie with a
  // prefix, and browsers let plain http set it (CVE-2026-39410).
  const pairs = (c.req.header('cookie') ?? '').split(';').map((pair) => pair.replace(/^[ \t]+/, ''))
  const start = `${name}=`
  return new Set(
    pairs.flatMap((pair) =>
      pair.startsWith(start) ? pair.slice(start.length).replace(/[ \t]+$/, '') : [],
    ),
  )
}

/**
 * Whether browsers send this cookie to the address of the request, as it was written: `/%61ccount` is not
 * covered by `/account`. Clients that ignore paths may use the start page.
 */
function isCovered(c: Http, config: Addressed, name: CookieName): boolean {
  const { pathname } = new URL(c.req.url)
  // A proxy may strip the base path.
  const bases = ['', basePath(config)]
  return bases.some((base) =>
    pathname === base || pathname === `${base}/`
      ? true
      : pathsOf[name].some((covered) => `${pathname}/`.startsWith(`${base}${covered}/`)),
  )
}

/**
 * Clears the cookie that the version before has set with the path `/`. On plain http, it has the name of
 * the new ones.
 */
function clearOldCookie(c: Http, config: Addressed, name: CookieName): void {
  const old = `${isSecureAddress(config) ? '__Host-' : ''}parley_${name}`
  if (valuesOf(c, old).size === 0) return
  setCookie(c, old, '', { ...attributes(config, '/'), maxAge: 0 })
}
