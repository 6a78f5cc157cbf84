import { randomBytes } from 'node:crypto'
import { html, raw } from 'hono/html'
import { defaultPageSettings, variablesOf, type OpenPage } from '#features/visitors/index.ts'
import type { Context } from '#platform/context.ts'
import { etagOf, type FindBuild } from '#surfaces/http/built-files.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { fontFace } from '#surfaces/http/page-font.ts'
import { pathOfAsset, pathOfFont, pathOfPage } from './page-paths.ts'
import type { Spoken } from './texts/texts.ts'

type Markup = ReturnType<typeof html>

/**
 * The policy of what visitors open. The page runs in an opaque origin (`sandbox` without
 * `allow-same-origin`): its scripts reach neither cookies nor the dashboard, and the dashboard refuses
 * requests from it, although both have the same address (decision 56).
 */
function policyOf(nonce: string, ancestors: readonly string[]): readonly string[] {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    `frame-ancestors ${ancestors.length === 0 ? "'none'" : ancestors.join(' ')}`,
    "base-uri 'none'",
    'sandbox allow-scripts allow-modals allow-popups allow-popups-to-escape-sandbox allow-forms',
  ]
}

function pageHeaders(policy: readonly string[], indexable: boolean) {
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=()',
    'Cache-Control': 'no-store',
    ...(indexable ? {} : { 'X-Robots-Tag': 'noindex' }),
  }
}

interface Shown {
  readonly page: OpenPage
  readonly spoken: Spoken
  /** For the script of the page. */
  readonly data: Readonly<Record<string, unknown>>
  /** The sites that may show the page in a frame; none by default. */
  readonly ancestors?: readonly string[]
}

/** The page of an agent, readable before its script runs. */
export async function answerChatPage(
  { config }: Pick<Context, 'config'>,
  c: Http,
  find: FindBuild,
  { page, spoken, data, ancestors = [] }: Shown,
): Promise<Response> {
  const { agent } = page
  const { texts } = spoken
  const name = nameOf(page)
  const build = await find()
  const asset = (file: string) => pathOfAsset(config, c, file, versionOf(build?.stamp))
  const nonce = randomBytes(16).toString('base64url')
  const greeting = page.settings.greeting || agent.greeting
  const all = { ...data, texts, language: spoken.code, name, greeting }
  const body = html`<header class="top">
      ${portrait(page)}
      <h1>${name}</h1>
      <div id="tools"></div>
    </header>
    <main id="log" tabindex="-1">
      ${greeting === '' ? null : html`<div class="answer greeting"><p dir="auto">${greeting}</p></div>`}
      <noscript><p class="notice">${texts.noScript}</p></noscript>
      <ul class="suggestions" id="suggestions">
        ${agent.suggestions.map((text) => html`<li><button type="button" dir="auto">${text}</button></li>`)}
      </ul>
      <div id="messages"></div>
    </main>
    <p id="status" role="status" class="unseen"></p>
    ${composer(page, spoken)}
    <script type="application/json" id="data">
      ${raw(dataText(all))}
    </script>
    <script defer src="${asset('page.js')}"></script>`
  const [style, font] = [asset('page.css'), pathOfFont(config, c)]
  // Browsers request the icon of an opaque origin without the cookie that opens a restricted page.
  const isPublic = page.settings.access === 'public'
  const icon = isPublic ? `${pathOfPage(config, c, page)}/icon.svg` : noIcon
  return answerDocument(c, { page, spoken, nonce, style, font, icon, body, ancestors })
}

/** Keeps a browser from requesting /favicon.ico. */
const noIcon = 'data:,'

/** A page that says why there is no chat. */
export function answerNotice(
  { config }: Pick<Context, 'config'>,
  c: Http,
  find: FindBuild,
  notice: {
    readonly page: OpenPage | null
    readonly spoken: Spoken
    readonly text: string
    readonly status: 403 | 404 | 429 | 500 | 503
    /** What the visitor can do about it. */
    readonly link?: { readonly href: string; readonly text: string }
    readonly ancestors?: readonly string[]
  },
): Promise<Response> {
  const nonce = randomBytes(16).toString('base64url')
  const { page, spoken, status, link, ancestors = [] } = notice
  const body = html`<main class="alone">
    <h1>${notice.text}</h1>
    ${link === undefined ? null : html`<p><a class="primary" href="${link.href}">${link.text}</a></p>`}
  </main>`
  return find().then((build) => {
    const style = pathOfAsset(config, c, 'page.css', versionOf(build?.stamp))
    const font = pathOfFont(config, c)
    return answerDocument(c, { page, spoken, nonce, style, font, body, status, ancestors })
  })
}

interface Document {
  readonly page: OpenPage | null
  /** By default the name of the page. */
  readonly title?: string
  /** By default that of a chat page. */
  readonly policy?: readonly string[]
  readonly spoken: Spoken
  readonly nonce: string
  readonly style: string
  /** The address of the font. */
  readonly font: string
  /** The address of the icon in the tab; none by default. */
  readonly icon?: string
  readonly body: Markup
  readonly ancestors?: readonly string[]
  readonly status?: 403 | 404 | 429 | 500 | 503
}

/** A document that looks like a chat page. */
export async function answerDocument(c: Http, document: Document): Promise<Response> {
  const { page, spoken, nonce, style, font, body, ancestors = [], status = 200 } = document
  const { icon = noIcon } = document
  const indexable = page?.settings.indexable === true
  const { policy = policyOf(nonce, ancestors) } = document
  for (const [header, value] of Object.entries(pageHeaders(policy, indexable)))
    c.header(header, value)
  const title = document.title ?? (page === null ? spoken.texts.unavailable : nameOf(page))
  const settings = page?.settings ?? defaultPageSettings
  const variables = Object.entries(variablesOf(settings)).map(([name, value]) => `${name}:${value}`)
  const { theme, color } = settings
  const text = html`<!doctype html>
    <html lang="${spoken.code}" dir="${spoken.direction}" data-theme="${theme}">
      <head>
        <meta charset="utf-8" />
        <meta
          name="viewport"
          content="width=device-width, initial-scale=1, interactive-widget=resizes-content"
        />
        <meta name="color-scheme" content="${theme === 'system' ? 'light dark' : theme}" />
        <meta name="theme-color" content="${settings.header_color || color}" />
        ${indexable ? null : html`<meta name="robots" content="noindex" />`}
        <meta name="apple-mobile-web-app-capable" content="yes" />
        <title>${title}</title>
        <link rel="icon" href="${icon}" />
        <link rel="stylesheet" href="${style}" />
        <style nonce="${nonce}">
          ${raw(`${fontFace(font)}:root{${variables.join(';')}}`)}
        </style>
      </head>
      <body>
        ${body}
      </body>
    </html>`
  return await c.html(text, status)
}

/** The field for messages, and what is small below it. */
function composer({ settings }: OpenPage, { texts }: Spoken): Markup {
  return html`<footer class="bottom">
    <form id="composer">
      <label class="unseen" for="message">${texts.placeholder}</label>
      <textarea
        id="message"
        rows="1"
        dir="auto"
        placeholder="${texts.placeholder}"
        maxlength="${settings.message_characters}"
      ></textarea>
      <button id="send" type="submit" aria-label="${texts.send}" title="${texts.send}"></button>
    </form>
    <p class="small">
      ${settings.disclaimer === '' ? null : html`<span dir="auto" id="disclaimer">${settings.disclaimer}</span>`}
      ${outside(settings.privacy_url, texts.privacy)}
      ${outside(settings.imprint_url, texts.imprint)}
    </p>
  </footer>`
}

/** What visitors call the agent. */
export function nameOf({ settings, agent }: OpenPage): string {
  return settings.title === '' ? agent.name : settings.title
}

function portrait(page: OpenPage): Markup {
  const { logo } = page.settings
  if (logo !== '') return html`<img class="logo" src="${logo}" alt="" />`
  return html`<span class="logo initial" aria-hidden="true">${[...nameOf(page)][0] ?? ''}</span>`
}

function outside(address: string, text: string): Markup | null {
  return address === ''
    ? null
    : html`<a href="${address}" target="_blank" rel="noopener noreferrer">${text}</a>`
}

/** JSON that no HTML parser leaves early: within a script element only `<` is special. */
function dataText(data: unknown): string {
  return JSON.stringify(data).replaceAll('<', String.raw`\u003c`)
}

/** Changes with each build of the dashboard, so that browsers may keep its files. */
export function versionOf(stamp: string | undefined): string {
  return etagOf(stamp ?? '')
    .replaceAll(/[^\w-]/g, '')
    .slice(0, 12)
}
