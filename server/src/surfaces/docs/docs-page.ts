import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { html, raw } from 'hono/html'
import type { Config } from '#config'
import type { Chapter } from '#features/documentation/index.ts'
import { fontFace } from '#surfaces/http/page-font.ts'
import { pageIcon, type Html } from '#surfaces/http/page.ts'
import { pathTo } from '#surfaces/http/service-address.ts'

const text =
  fontFace('../account/inter.woff2') + readFileSync(join(import.meta.dirname, 'docs.css'), 'utf8')
const version = createHash('sha256').update(text).digest('base64url').slice(0, 12)

/** The stylesheet of the documentation; its version changes with its text. */
export const docsStyle = { text, path: '/docs/style.css', version } as const

/** The pages run no script and load nothing but their style sheet, its font and the icon. */
export const docsPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

export interface DocsPage {
  readonly title: string
  readonly body: Html
  /** Beside the page on wide screens. */
  readonly aside?: Html | null
  /** The page's name in the contents. */
  readonly current?: string
  readonly query?: string
}

export function docsLayout(
  config: Pick<Config, 'baseUrl'>,
  chapters: readonly Chapter[],
  theme: string,
  page: DocsPage,
): Html {
  const style = pathTo(config, docsStyle.path, { v: docsStyle.version })
  return html`<!doctype html>
    <html lang="en" data-theme="${theme}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${page.title} · Parley documentation</title>
        <link rel="icon" type="image/svg+xml" href="${pathTo(config, pageIcon.path)}" />
        <link rel="stylesheet" href="${style}" />
      </head>
      <body>
        <a class="skip" href="#page">Skip to the page</a>
        ${header(config, page.query)}
        <div class="columns">
          <nav class="contents" aria-label="Documentation">
            ${chapterList(config, chapters, page.current)}
          </nav>
          <div class="middle">
            <details class="contents-menu">
              <summary>All pages</summary>
              <nav aria-label="All pages">${chapterList(config, chapters, page.current)}</nav>
            </details>
            <main id="page" tabindex="-1">${page.body}</main>
          </div>
          ${page.aside}
        </div>
      </body>
    </html>`
}

function header(config: Pick<Config, 'baseUrl'>, query = ''): Html {
  return html`<header class="top">
    <a class="brand" href="${pathTo(config, '/docs')}">
      ${raw(mark)}<span>Parley <span class="soft">Docs</span></span>
    </a>
    <form role="search" action="${pathTo(config, '/docs/search')}">
      <input
        type="search"
        name="q"
        value="${query}"
        maxlength="200"
        required
        placeholder="Search the documentation"
        aria-label="Search the documentation"
      />
      <button type="submit">Search</button>
    </form>
    <a class="dashboard" href="${pathTo(config, '/')}">Dashboard</a>
  </header>`
}

const mark = pageIcon.text.replace(
  '<svg ',
  '<svg width="26" height="26" aria-hidden="true" focusable="false" ',
)

function chapterList(
  config: Pick<Config, 'baseUrl'>,
  chapters: readonly Chapter[],
  current: string | undefined,
): Html[] {
  return chapters.map(
    ({ title, entries }) =>
      html`<p class="chapter">${title}</p>
        <ul>
          ${entries.map(
            (entry) =>
              html`<li>
                <a
                  href="${pathTo(config, `/docs/${entry.name}`)}"
                  ${entry.name === current ? html`aria-current="page"` : null}
                  >${entry.title}</a
                >
              </li>`,
          )}
        </ul>`,
  )
}
