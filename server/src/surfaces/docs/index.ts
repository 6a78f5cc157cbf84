import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Hono } from 'hono'
import { getCookie } from 'hono/cookie'
import { contentsOf, searchDocumentation, type Chapter } from '#features/documentation/index.ts'
import type { Context } from '#platform/context.ts'
import { hasCached } from '#surfaces/http/cached.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { pathTo } from '#surfaces/http/service-address.ts'
import { foundBody, headingList, pageBody, startBody } from './docs-bodies.ts'
import { docsLayout, docsPolicy, docsStyle, type DocsPage } from './docs-page.ts'
import type { Rendered } from './render-markdown.ts'

/** A page or an image of the documentation in the checkout. */
export interface DocumentationPage {
  /** Below `/docs/`, such as `sessions.md` or `images/home.png`. */
  readonly name: string
  readonly path: string
}

type DocsContext = Pick<Context, 'config' | 'documentation'>

const maxQueryLength = 200
const maxResults = 12

/**
 * The documentation: pages for people at `/docs/sessions`, and the Markdown, to which citations link,
 * at `/docs/sessions.md`. `/docs/contents.json` lists the pages, for the dashboard's palette.
 */
export function docsSurface(
  ctx: DocsContext,
  pages: readonly DocumentationPage[],
  images: readonly DocumentationPage[],
): Hono<HttpEnvironment> {
  const paths = new Map([...pages, ...images].map(({ name, path }) => [name, path]))
  const chapters = remembered(async () => contentsOf(await ctx.documentation.pages()))
  const rendered = new Map<string, () => Promise<Rendered>>()
  for (const { name, path } of pages)
    rendered.set(
      name.replace(/\.md$/, ''),
      remembered(() => render(ctx, paths, name, path)),
    )
  const app = new Hono<HttpEnvironment>()
  app.get('/docs', async (c) => {
    const body = startBody(ctx.config, await chapters())
    return answer(ctx, c, await chapters(), { title: 'Documentation', body })
  })
  app.get('/docs/search', async (c) => {
    const query = (c.req.query('q') ?? '').trim().slice(0, maxQueryLength)
    if (query === '') return c.redirect(pathTo(ctx.config, '/docs'), 303)
    const found = await searchDocumentation(ctx, query, maxResults)
    const body = foundBody(ctx.config, query, found)
    return answer(ctx, c, await chapters(), { title: `“${query}”`, body, query })
  })
  app.get('/docs/contents.json', async (c) => {
    c.header('Cache-Control', 'private, no-cache')
    c.header('X-Content-Type-Options', 'nosniff')
    return c.json({ pages: (await chapters()).flatMap(({ entries }) => entries) })
  })
  app.get(docsStyle.path, (c) => answerStyle(c))
  app.get('/docs/images/:name', async (c) => {
    const path = paths.get(`images/${c.req.param('name')}`)
    return path === undefined ? c.notFound() : answerImage(c, await readFile(path))
  })
  app.get('/docs/:name', async (c) => {
    const name = c.req.param('name')
    const path = paths.get(name)
    if (path !== undefined) return answerMarkdown(c, await readFile(path, 'utf8'))
    const page = await rendered.get(name)?.()
    if (page === undefined) return c.notFound()
    return answer(ctx, c, await chapters(), {
      title: titleIn(await chapters(), name),
      body: pageBody(ctx.config, name, page.body),
      aside: headingList(page.headings),
      current: name,
    })
  })
  return app
}

/** The renderer is loaded with the first page. */
async function render(
  { config }: DocsContext,
  paths: ReadonlyMap<string, string>,
  name: string,
  path: string,
): Promise<Rendered> {
  const { renderMarkdown } = await import('./render-markdown.ts')
  const folder = name === 'README.md' ? '/' : '/docs/'
  return renderMarkdown(await readFile(path, 'utf8'), (link) => {
    if (/^(?:https?:|#)/.test(link)) return link
    const { pathname, hash } = new URL(link, `file://${folder}`)
    const target = pathname === '/README.md' ? 'README.md' : pathname.replace(/^\/docs\//, '')
    if (target.startsWith('images/') && paths.has(target)) return pathTo(config, pathname)
    if (!paths.has(target) || (target === 'README.md') !== (pathname === '/README.md')) return null
    return `${pathTo(config, `/docs/${target.replace(/\.md$/, '')}`)}${hash}`
  })
}

/** The pages do not change while a process runs. What failed is tried again. */
function remembered<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let known: Promise<Value> | null = null
  return () => {
    known ??= make().catch((error: unknown) => {
      known = null
      throw error
    })
    return known
  }
}

function titleIn(chapters: readonly Chapter[], name: string): string {
  const entries = chapters.flatMap((chapter) => chapter.entries)
  return entries.find((entry) => entry.name === name)?.title ?? name
}

async function answer(
  { config }: DocsContext,
  c: Http,
  chapters: readonly Chapter[],
  page: DocsPage,
): Promise<Response> {
  // The dashboard's script stores what a person chose.
  const chosen = getCookie(c, 'parley_theme')
  const theme = chosen === 'light' || chosen === 'dark' ? chosen : 'system'
  const text = String(await docsLayout(config, chapters, theme, page))
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
  c.header('Content-Security-Policy', docsPolicy)
  c.header('X-Frame-Options', 'DENY')
  c.header('X-Content-Type-Options', 'nosniff')
  c.header('Referrer-Policy', 'same-origin')
  c.header('Cache-Control', 'private, no-cache')
  c.header('ETag', tag)
  if (hasCached(c, tag)) return c.body(null, 304)
  return c.html(text)
}

function answerMarkdown(c: Http, text: string): Response {
  c.header('X-Content-Type-Options', 'nosniff')
  return c.body(text, 200, { 'Content-Type': 'text/markdown; charset=utf-8' })
}

function answerImage(c: Http, image: Uint8Array<ArrayBuffer>): Response {
  c.header('Cache-Control', 'public, max-age=3600')
  c.header('X-Content-Type-Options', 'nosniff')
  return c.body(image, 200, { 'Content-Type': 'image/png' })
}

function answerStyle(c: Http): Response {
  c.header('Cache-Control', 'public, max-age=31536000, immutable')
  c.header('X-Content-Type-Options', 'nosniff')
  return c.body(docsStyle.text, 200, { 'Content-Type': 'text/css; charset=utf-8' })
}
