import { setCookie } from 'hono/cookie'
import type { Config } from '#config'
import type { Http } from './environment.ts'
import { basePath, isSecureAddress, pathTo } from './service-address.ts'

type CookieConfig = Pick<Config, 'baseUrl' | 'sessionLifetimeSeconds' | 'knownBrowserSeconds'>
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
 * The value of a cookie of ours. Different values under one name count as none: one of them was set
 * by another host of the domain, and nothing tells which one.
 */
export function readCookie(c: Http, config: CookieConfig, name: CookieName): string | null {
  moveOldCookies(c, config)
  const values = valuesOf(c, cookieName(config, name))
  return theOnly(values.size > 0 ? values : valuesOf(c, oldName(config, name)))
}

/** A cookie that holds a 256-bit token; null if it holds anything else. */
export function readTokenCookie(c: Http, config: CookieConfig, name: CookieName): string | null {
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

/** The values of a cookie in a request; a browser that ignores paths sends one value several times. */
function valuesOf(c: Http, name: string): ReadonlySet<string> {
  const pairs = (c.req.header('cookie') ?? '').split(';').map((pair) => pair.trim())
  const start = `${name}=`
  return new Set(pairs.flatMap((pair) => (pair.startsWith(start) ? pair.slice(start.length) : [])))
}

function theOnly(values: ReadonlySet<string>): string | null {
  const [value = null] = values
  return values.size === 1 ? value : null
}

/** The name of a cookie with the path `/`, as version 0.1 set it. */
function oldName(config: Addressed, name: CookieName): string {
  return `${isSecureAddress(config) ? '__Host-' : ''}parley_${name}`
}

/**
 * Gives the cookies of the version before the new paths, so that people stay signed in. Those that
 * live for minutes are only read.
 */
function moveOldCookies(c: Http, config: CookieConfig): void {
  if (c.get('hasMovedCookies') === true) return
  c.set('hasMovedCookies', true)
  if (!hasOldCookie(c, config)) return
  const lasting = [
    { name: 'session', maxAgeSeconds: config.sessionLifetimeSeconds },
    { name: 'device', maxAgeSeconds: config.knownBrowserSeconds },
    { name: 'browser' },
  ] as const
  for (const cookie of lasting) {
    const value = theOnly(valuesOf(c, oldName(config, cookie.name)))
    if (value === null) continue
    const isNew = isSecureAddress(config) && valuesOf(c, cookieName(config, cookie.name)).size > 0
    if (isNew) clearOldCookie(c, config, cookie.name)
    else writeCookie(c, config, { ...cookie, value })
  }
}

/**
 * On plain http, the old cookies have the same name as the new ones. One that comes to an address
 * outside its paths is old, and so are the others with it.
 */
function hasOldCookie(c: Http, config: Addressed): boolean {
  return (Object.keys(pathsOf) as CookieName[]).some((name) => {
    const isSent = valuesOf(c, oldName(config, name)).size > 0
    return isSent && (isSecureAddress(config) || !isCovered(c, config, name))
  })
}

function isCovered(c: Http, config: Addressed, name: CookieName): boolean {
  const { path } = c.req
  // A proxy may strip the base path.
  const bases = ['', basePath(config)]
  return pathsOf[name]
    .flatMap((covered) => bases.map((base) => `${base}${covered}`))
    .some((covered) => path === covered || path.startsWith(`${covered}/`))
}

function clearOldCookie(c: Http, config: Addressed, name: CookieName): void {
  if (valuesOf(c, oldName(config, name)).size === 0) return
  setCookie(c, oldName(config, name), '', { ...attributes(config, '/'), maxAge: 0 })
}
