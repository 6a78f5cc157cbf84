import { randomBytes } from 'node:crypto'
import { html, raw } from 'hono/html'
import {
  beginVisit,
  bestOn,
  iconSizes,
  openPage,
  appIcon,
  visitorFaults,
  type IconSize,
  type OpenPage,
} from '#features/visitors/index.ts'
import { Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { limitRequests } from './acting-visitor.ts'
import { nameOf } from './chat-page.ts'
import { nameInRequest, pathOfPage, pathOfScript } from './page-paths.ts'
import { languageOf } from './texts/texts.ts'
import { readBrowserToken } from './visits.ts'

/**
 * GET /chat/{app}/app: the page in a frame of a document that can be installed. Browsers read no manifest
 * of a page with an opaque origin. This document has the origin of the service; its one script loads the
 * frame again, which the frame cannot do itself: its cookie would not be sent.
 */
export async function showApp(ctx: Context, c: Http): Promise<Response> {
  const page = await pageOfRequest(ctx, c)
  const path = pathOfPage(ctx.config, c, page)
  if (!(await mayKnow(ctx, c, page))) return c.redirect(path === '' ? '/' : path, 303)
  const spoken = languageOf(c.req.header('accept-language'))
  const nonce = randomBytes(16).toString('base64url')
  const { header_color, color } = page.settings
  for (const [name, value] of Object.entries(headersOf(nonce))) c.header(name, value)
  const text = html`<!doctype html>
    <html lang="${spoken.code}" dir="${spoken.direction}">
      <head>
        <meta charset="utf-8" />
        <meta
          name="viewport"
          content="width=device-width, initial-scale=1, interactive-widget=resizes-content"
        />
        <meta name="robots" content="noindex" />
        <meta name="theme-color" content="${header_color || color}" />
        <title>${nameOf(page)}</title>
        <link rel="icon" type="image/svg+xml" href="${path}/icon.svg" />
        <link rel="apple-touch-icon" href="${path}/icon-180.png" />
        <link rel="manifest" href="${path}/app.webmanifest" crossorigin="use-credentials" />
        <style nonce="${nonce}">
          ${raw(frameStyle)}
        </style>
      </head>
      <body>
        <iframe
          src="${path === '' ? '/' : path}?app"
          sandbox="${raw(frameRights)}"
          allow="clipboard-write *"
          title="${nameOf(page)}"
        ></iframe>
        <script nonce="${nonce}">
          ${raw(frameScript)}
        </script>
      </body>
    </html>`
  return await c.html(text)
}

const frameRights =
  'allow-scripts allow-modals allow-popups allow-popups-to-escape-sandbox allow-forms'
const frameScript = `const frame = document.querySelector('iframe')
addEventListener('message', ({ source, data }) => {
  if (source === frame.contentWindow && data?.parley === 'again') frame.src = frame.src
})`
const frameStyle =
  'html,body{margin:0;height:100%;overflow:hidden}iframe{display:block;width:100%;height:100dvh;border:0}'

function headersOf(nonce: string) {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      `style-src 'nonce-${nonce}'`,
      `script-src 'nonce-${nonce}'`,
      "img-src 'self'",
      "frame-src 'self'",
      "manifest-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=()',
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
  }
}

/** GET /chat/{app}/app.webmanifest (W3C, Web Application Manifest) */
export async function showManifest(ctx: Context, c: Http): Promise<Response> {
  const page = await knownPage(ctx, c)
  const path = pathOfPage(ctx.config, c, page)
  const spoken = languageOf(c.req.header('accept-language'))
  const manifest = {
    // Stays when the slug changes: an app that is installed stays the same app.
    id: pathOfScript(ctx.config, c, page),
    name: nameOf(page),
    short_name: [...nameOf(page)].slice(0, 30).join(''),
    lang: spoken.code,
    dir: spoken.direction,
    start_url: `${path}/app`,
    scope: `${path}/`,
    display: 'standalone',
    background_color: groundOf(page),
    theme_color: page.settings.header_color || page.settings.color,
    icons: iconsOf(path),
  }
  return c.body(JSON.stringify(manifest), 200, {
    'content-type': 'application/manifest+json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
}

function iconsOf(path: string) {
  const drawn = iconSizes.map((size) => ({
    src: `${path}/icon-${size}.png`,
    type: 'image/png',
    sizes: `${size}x${size}`,
    purpose: 'any',
  }))
  const scalable = { src: `${path}/icon.svg`, type: 'image/svg+xml', sizes: 'any', purpose: 'any' }
  return [...drawn, scalable]
}

/** What a browser shows until the page is there. */
function groundOf({ settings }: OpenPage): string {
  return settings.theme === 'dark' ? '#15171c' : settings.background_color || '#ffffff'
}

/** GET /chat/{app}/icon.svg: the logo of the page, or the first letter of its name. */
export async function showIcon(ctx: Context, c: Http): Promise<Response> {
  const page = await knownPage(ctx, c)
  const { color: accent } = page.settings
  const onAccent = bestOn(accent)
  const { logo } = page.settings
  const picture =
    logo === ''
      ? html`<rect width="512" height="512" fill="${accent}" /><text
            x="256"
            y="256"
            fill="${onAccent}"
            font-family="system-ui, sans-serif"
            font-size="280"
            font-weight="700"
            text-anchor="middle"
            dominant-baseline="central"
            >${([...nameOf(page)][0] ?? '').toUpperCase()}</text
          >`
      : html`<rect width="512" height="512" fill="#fff" />
          <image x="51" y="51" width="410" height="410" href="${logo}" />`
  const svg = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">${picture}</svg>`
  return c.body(String(svg), 200, {
    'content-type': 'image/svg+xml; charset=utf-8',
    // A logo is a file of an editor's, and may be an SVG with scripts.
    'content-security-policy':
      "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
}

/** GET /chat/{app}/icon-{size}.png: the same for systems that show no SVG. */
export async function showDrawnIcon(ctx: Context, c: Http, size: IconSize): Promise<Response> {
  const page = await knownPage(ctx, c)
  const png = await appIcon(page, nameOf(page), size)
  return c.body(new Uint8Array(png), 200, {
    'content-type': 'image/png',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
}

async function pageOfRequest(ctx: Context, c: Http): Promise<OpenPage> {
  await limitRequests(ctx, c)
  return await openPage(ctx, nameInRequest(c))
}

/** @throws Fault page_unknown, also for those who may not know the name of the page */
async function knownPage(ctx: Context, c: Http): Promise<OpenPage> {
  const page = await pageOfRequest(ctx, c)
  if (!(await mayKnow(ctx, c, page))) throw new Fault(visitorFaults.page_unknown)
  return page
}

async function mayKnow(ctx: Context, c: Http, page: OpenPage): Promise<boolean> {
  if (page.settings.access === 'public') return true
  try {
    await beginVisit(ctx, page, { browserToken: readBrowserToken(c) })
    return true
  } catch (error) {
    if (isFault(error, visitorFaults.visit_refused)) return false
    throw error
  }
}
