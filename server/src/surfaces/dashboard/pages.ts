import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCookie } from 'hono/cookie'
import { html } from 'hono/html'
import type { Context } from '#platform/context.ts'
import { etagOf, type FindBuild } from '#surfaces/http/built-files.ts'
import { hasCached } from '#surfaces/http/cached.ts'
import { hasForeignCookie } from '#surfaces/http/cookies.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { answerPage } from '#surfaces/http/page.ts'
import { foreignCookiePage } from '#surfaces/http/page-faults.ts'
import { basePath, pathTo } from '#surfaces/http/service-address.ts'
import { readSession } from '#surfaces/http/signed-in.ts'

/** The pages load only their own files and run no inline script. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Previews of files before their upload.
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  // The preview of a chat page, which has an opaque origin.
  "frame-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const pageHeaders = {
  'Content-Security-Policy': policy,
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=()',
  'Cache-Control': 'private, no-cache',
} as const

/** Where `/` leads, to which browsers send no cookie. The page there finds out where a person begins. */
export const startPath = '/home/start'

/** Every address of the dashboard serves the same page; its script shows what the address names. */
export async function answerDashboard(ctx: Context, c: Http, find: FindBuild): Promise<Response> {
  if (hasForeignCookie(c, ctx.config, 'session')) return await answerForeignCookie(ctx, c)
  if ((await readSession(ctx, c)) === null) return toSignIn(ctx, c)
  const build = await find()
  if (build === null) return await answerUnbuilt(ctx, c)
  const page = placed(build.index, basePath(ctx.config), themeOf(c))
  const etag = etagOf(page)
  for (const [name, value] of Object.entries(pageHeaders)) c.header(name, value)
  c.header('ETag', etag)
  if (hasCached(c, etag)) return c.body(null, 304)
  return c.html(page)
}

const serviceWorker = readFileSync(join(import.meta.dirname, 'service-worker.js'), 'utf8')

/** At the service's root, because a service worker controls the addresses below its own. */
export function answerServiceWorker(c: Http): Response {
  c.header('Cache-Control', 'no-cache')
  c.header('X-Content-Type-Options', 'nosniff')
  return c.body(serviceWorker, 200, { 'Content-Type': 'text/javascript; charset=utf-8' })
}

function toSignIn({ config }: Context, c: Http): Response {
  const { pathname, search } = new URL(c.req.url)
  const base = basePath(config)
  // A proxy may have stripped the base path; the return path contains it exactly once.
  const path =
    base !== '' && `${pathname}/`.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname
  // A person who is signed in comes back from there at once.
  const returnTo = `${base}${path === '' || path === '/' ? startPath : path}${search}`
  return c.redirect(pathTo(config, '/login', { return_to: returnTo }), 303)
}

/**
 * The build has no base path: its addresses are relative. The theme is set in the page from the
 * start, so that the page does not flash in another theme.
 */
function placed(index: string, base: string, theme: string): string {
  return index
    .replaceAll(/(href|src)="\.\//g, (_, name: string) => `${name}="${base}/`)
    .replace('data-base=""', () => `data-base="${base}"`)
    .replace('data-theme="system"', `data-theme="${theme}"`)
}

/** The theme that the person chose; the dashboard's script stores it. */
function themeOf(c: Http): string {
  const chosen = getCookie(c, 'parley_theme')
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system'
}

/** Signing in would lead back here, and the other faults of this surface are for the page's script. */
async function answerForeignCookie({ config }: Context, c: Http): Promise<Response> {
  const { title, message } = foreignCookiePage
  const body = html`<h1>${title}</h1>
    <p>${message}</p>`
  return await answerPage(c, config, { title, body }, 401)
}

async function answerUnbuilt({ config }: Context, c: Http): Promise<Response> {
  const body = html`<h1>The dashboard is not built</h1>
    <p>The service itself is running. Build its dashboard, then reload this page:</p>
    <p><code>npm run build:dashboard</code></p>
    <p><a href="${pathTo(config, '/account')}">Your account</a></p>`
  return await answerPage(c, config, { title: 'Not built', body }, 503)
}
