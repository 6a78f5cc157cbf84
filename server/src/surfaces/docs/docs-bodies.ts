import { html, raw } from 'hono/html'
import type { Config } from '#config'
import type { Chapter } from '#features/documentation/index.ts'
import type { Html } from '#surfaces/http/page.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import type { Heading } from './render-markdown.ts'
import { slugOf } from './slug.ts'

type Addressed = Pick<Config, 'baseUrl'>

/** /docs */
export function startBody(config: Addressed, chapters: readonly Chapter[]): Html {
  return html`<h1>Documentation</h1>
    <p class="lead">Build agents, connect clients to them, and run the service.</p>
    ${chapters.map(
      ({ title, entries }) =>
        html`<h2 id="${slugOf(title)}">${title}</h2>
          <ul class="cards">
            ${entries.map(
              (entry) =>
                html`<li>
                  <a href="${pathTo(config, `/docs/${entry.name}`)}">${entry.title}</a>
                  <p>${entry.summary}</p>
                </li>`,
            )}
          </ul>`,
    )}`
}

interface Found {
  readonly title: string
  readonly heading: string
  readonly text: string
  readonly url: string
}

/** /docs/search */
export function foundBody(config: Addressed, query: string, found: readonly Found[]): Html {
  if (found.length === 0)
    return html`<h1>No results for “${query}”</h1>
      <p class="lead">
        Try other words, or choose a page from <a href="${pathTo(config, '/docs')}">the list</a>.
      </p>`
  return html`<h1>Results for “${query}”</h1>
    <ol class="found">
      ${found.map(({ title, heading, text, url }) => {
        const page = new URL(url).pathname.split('/').at(-1)?.replace(/\.md$/, '') ?? ''
        const parts = heading.split(' › ')
        const last = parts.length > 1 ? parts.at(-1) : undefined
        const anchor = last === undefined ? '' : `#${slugOf(last.replaceAll('`', ''))}`
        return html`<li>
          <a href="${pathTo(config, `/docs/${page}`)}${anchor}">${last ?? title}</a>
          <p class="soft">${title}</p>
          <p>${excerpt(text)}</p>
        </li>`
      })}
    </ol>`
}

const maxExcerpt = 220

function excerpt(text: string): string {
  const plain = text
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/<!--.*?-->|^\|[-| ]+\|$|[`*]/gm, '')
    .replaceAll(/[\s|]+/g, ' ')
    .trim()
  return plain.length <= maxExcerpt ? plain : `${plain.slice(0, maxExcerpt).trimEnd()}…`
}

/** A page's foot: its Markdown, for assistants and editors. */
export function pageBody(config: Addressed, name: string, body: string): Html {
  return html`<article>${raw(body)}</article>
    <p class="foot"><a href="${pathTo(config, `/docs/${name}.md`)}">This page as Markdown</a></p>`
}

export function headingList(headings: readonly Heading[]): Html | null {
  if (headings.length < 2) return null
  return html`<nav class="on-page" aria-label="On this page">
    <p class="chapter">On this page</p>
    <ul>
      ${headings.map(({ id, label }) => html`<li><a href="#${id}">${raw(label)}</a></li>`)}
    </ul>
  </nav>`
}
