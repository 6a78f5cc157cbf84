import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { html, raw } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Config } from '#config'
import type { Http } from './environment.ts'
import { fontFace } from './page-font.ts'
import { policySource } from './policy-source.ts'
import { pathTo } from './service-address.ts'

const text = fontFace('inter.woff2') + readFileSync(join(import.meta.dirname, 'page.css'), 'utf8')
const version = createHash('sha256').update(text).digest('base64url').slice(0, 12)

/** The stylesheet of the pages that work without the dashboard. */
export const pageStyle = {
  text,
  path: '/account/style.css',
  /** Changes with the text, so that browsers may cache it without end. */
  version,
} as const

/** The logo, as the browser's tab shows it. */
export const pageIcon = {
  path: '/account/icon.svg',
  text: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#3d4ed6" d="M6 4h14a4 4 0 0 1 4 4v7a4 4 0 0 1-4 4h-7l-6 5v-5H6a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4z"/><path fill="#e2793f" d="M26 12a4 4 0 0 1 4 4v6a4 4 0 0 1-4 4h-1v4l-5-4h-5a4 4 0 0 1-4-4h9a7 7 0 0 0 6-7z"/></svg>`,
} as const

/** The result of `html`: text that is escaped for a page. */
export type Html = ReturnType<typeof html>

export interface Page {
  /** The title of the tab; the page's heading is part of `body`. */
  readonly title: string
  readonly body: Html
  /** Other addresses to which its forms may redirect. */
  readonly formTargets?: readonly URL[]
  /** The page's only script; without one, the page's policy blocks all. */
  readonly script?: { readonly path: string; readonly version: string }
  /** Wider, for pages of many rows. */
  readonly wide?: boolean
}

/** Answers with a page that runs no script but its own, cannot be framed and is not cached. */
export function answerPage(
  c: Http,
  config: Pick<Config, 'baseUrl'>,
  page: Page,
  status: ContentfulStatusCode = 200,
): Response | Promise<Response> {
  for (const [name, value] of Object.entries(pageHeaders(page))) c.header(name, value)
  return c.html(layout(config, page), status)
}

function pageHeaders({ formTargets = [], script }: Page): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "style-src 'self'",
      "font-src 'self'",
      ...(script === undefined ? [] : ["script-src 'self'"]),
      "img-src 'self'",
      // Browsers also apply form-action to redirects after a form.
      ["form-action 'self'", ...formTargets.map(policySource)].join(' '),
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    // With `no-referrer`, the `Origin` of our own forms would be `null`, as that of any site can be.
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  }
}

function layout(config: Pick<Config, 'baseUrl'>, { title, body, wide, script }: Page): Html {
  const style = pathTo(config, pageStyle.path, { v: pageStyle.version })
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · Parley</title>
        <link rel="icon" type="image/svg+xml" href="${pathTo(config, pageIcon.path)}" />
        <link rel="stylesheet" href="${style}" />
        ${
          script === undefined
            ? null
            : html`<script
                type="module"
                src="${pathTo(config, script.path, { v: script.version })}"
              ></script>`
        }
      </head>
      <body>
        <header class="brand">${raw(mark)}<span>Parley</span></header>
        <main class="card${wide === true ? ' wide' : ''}">${body}</main>
      </body>
    </html>`
}

const mark = pageIcon.text.replace(
  '<svg ',
  '<svg width="28" height="28" aria-hidden="true" focusable="false" ',
)

/** A form's problem, which screen readers announce. */
export function problemBox(problem: string | null): Html | null {
  return problem === null ? null : html`<p class="problem" role="alert">${problem}</p>`
}

interface Field {
  readonly name: string
  readonly label: string
  readonly type: 'email' | 'password' | 'text'
  /** How browsers and password managers fill in the field. */
  readonly autocomplete: string
  readonly value?: string
  readonly hint?: string
  readonly required?: boolean
  readonly invalid?: boolean
}

export function field(given: Field): Html {
  const { name, label, type, autocomplete, value = '', hint, required = true, invalid } = given
  const hintId = `${name}-hint`
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${value}"
      autocomplete="${autocomplete}"
      ${required ? html`required` : null}
      ${invalid === true ? html`aria-invalid="true"` : null}
      ${hint === undefined ? null : html`aria-describedby="${hintId}"`}
    />
    ${hint === undefined ? null : html`<p class="hint" id="${hintId}">${hint}</p>`}
  </div>`
}

export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" />`
}
