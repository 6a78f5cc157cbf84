import type { Context as HonoContext } from 'hono'
import { html, raw } from 'hono/html'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Config } from '#config'
import type { HttpEnvironment } from './environment.ts'
import { pageIcon, pageStyle } from './page-style.ts'
import { pathTo } from './service-address.ts'

/** What `html` gives: text that is safe to stand in a page. */
export type Html = ReturnType<typeof html>

export interface Page {
  /** Of the tab; the page's own heading is part of `body`. */
  readonly title: string
  readonly body: Html
  /** Other origins that its forms may redirect to, as CSP sources. */
  readonly formTargets?: readonly string[]
  /** Wider, for pages of many rows. */
  readonly wide?: boolean
}

/** Answers with a page that needs no script, cannot be framed, and is not cached. */
export function answerPage(
  c: HonoContext<HttpEnvironment>,
  config: Pick<Config, 'baseUrl'>,
  page: Page,
  status: ContentfulStatusCode = 200,
): Response | Promise<Response> {
  for (const [name, value] of Object.entries(pageHeaders(page))) c.header(name, value)
  return c.html(layout(config, page), status)
}

function pageHeaders({ formTargets = [] }: Page): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self'",
      // Browsers apply form-action to redirects after a form as well.
      ["form-action 'self'", ...formTargets].join(' '),
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  }
}

function layout(config: Pick<Config, 'baseUrl'>, { title, body, wide }: Page): Html {
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

/** What went wrong with a form, where a screen reader announces it. */
export function problemBox(problem: string | null): Html | null {
  return problem === null ? null : html`<p class="problem" role="alert">${problem}</p>`
}
