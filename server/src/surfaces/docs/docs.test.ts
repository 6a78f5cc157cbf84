import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readConfig } from '#config'
import {
  createDocumentation,
  documentationFiles,
  documentationImages,
} from '#platform/documentation.ts'
import { docsSurface } from './index.ts'
import { renderMarkdown } from './render-markdown.ts'

const config = readConfig({ BASE_URL: 'https://example.com/parley' })
const ctx = { config, documentation: createDocumentation() }
const app = docsSurface(ctx, documentationFiles(), documentationImages())

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await app.request(path, { headers })
  return { response, text: await response.text() }
}

test('every page is rendered, and every link in it leads to a page and a heading that exist', async () => {
  const pages = new Map<string, string>()
  for (const { name } of documentationFiles()) {
    const short = name.replace(/\.md$/, '')
    const { response, text } = await get(`/docs/${short}`)
    expect(response.status, short).toBe(200)
    pages.set(short, text)
  }
  const broken: string[] = []
  for (const [page, text] of pages)
    for (const [, link = ''] of text.matchAll(
      /href="(?:\/parley\/docs\/([\w-]+(?:#[^"]*)?)|#[^"]+)"/g,
    )) {
      const [target = '', hash] = link.split('#')
      const there = pages.get(target || page)
      if (there === undefined || (hash !== undefined && !there.includes(`id="${hash}"`)))
        broken.push(`${page}: ${link}`)
    }
  expect(broken).toEqual([])
})

test('the contents list every page with its title', async () => {
  const { response, text } = await get('/docs/contents.json')
  expect(response.headers.get('content-type')).toContain('application/json')
  const { pages } = JSON.parse(text) as { pages: { name: string; title: string }[] }
  expect(pages.map(({ name }) => `${name}.md`).toSorted()).toEqual(
    documentationFiles()
      .map(({ name }) => name)
      .toSorted(),
  )
  expect(pages).toContainEqual({
    name: 'backup',
    title: 'Backup and restore',
    summary: expect.stringContaining('Backups'),
  })
})

test('the images of a page are served, and are small enough together for every checkout', async () => {
  const { text } = await get('/docs/README')
  const shown = [...text.matchAll(/<img src="\/parley(\/docs\/images\/[^"]+)" alt="[^"]+"/g)]
  expect(shown).toHaveLength(documentationImages().length)
  for (const [, path = ''] of shown) {
    const { status, headers } = await app.request(path)
    expect([status, headers.get('content-type')]).toEqual([200, 'image/png'])
  }
  expect((await get('/docs/images/none.png')).response.status).toBe(404)
  const bytes = documentationImages().map(({ path }) => statSync(path).size)
  expect(bytes.reduce((sum, one) => sum + one)).toBeLessThan(1_500_000)
})

test('the Markdown of a page stays at its .md address, and an unknown page has none', async () => {
  const { response, text } = await get('/docs/sessions.md')
  expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  expect(text).toMatch(/^# Sessions/)
  expect((await get('/docs/none')).response.status).toBe(404)
  expect((await get('/docs/constructor')).response.status).toBe(404)
})

test('a page runs no script, cannot be framed, and is sent again only after a change', async () => {
  const { response, text } = await get('/docs/sessions')
  expect(response.headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  )
  expect(text).not.toContain('<script')
  const etag = response.headers.get('etag') ?? ''
  expect((await get('/docs/sessions', { 'if-none-match': etag })).response.status).toBe(304)
  const dark = await get('/docs/sessions', { cookie: 'parley_theme=dark', 'if-none-match': etag })
  expect(dark.text).toContain('data-theme="dark"')
})

test('a search leads to the heading that answers, and shows what was typed as text', async () => {
  const { text } = await get('/docs/search?q=continue+a+conversation')
  expect(text).toContain('href="/parley/docs/sessions#starting-and-continuing"')
  const typed = await get(`/docs/search?q=${encodeURIComponent('<img src=x> xylophone')}`)
  expect(typed.text).not.toContain('<img')
  expect(typed.text).toContain('&lt;img src=x&gt; xylophone')
})

test('HTML in a page is shown as text, and a link to a file that is not served is no link', () => {
  const { body } = renderMarkdown('# A\n\n<b>b</b> [c](../bench/README.md) [d](x.md)', (link) =>
    link === 'x.md' ? '/docs/x' : null,
  )
  expect(body).toContain('&lt;b&gt;b&lt;/b&gt; c <a href="/docs/x">d</a>')
})

test('repeated headings have names of their own, as on GitHub', () => {
  const { headings } = renderMarkdown('## What `a` is?\n\n## Same\n\n## Same', () => null)
  expect(headings.map(({ id }) => id)).toEqual(['what-a-is', 'same', 'same-1'])
})
