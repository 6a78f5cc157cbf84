import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { getSource, type Crawl } from '#features/knowledge/index.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { startSite, type Site } from '#test/support/servers/site-server.ts'
import { addUrlSource, refreshSource } from './index.ts'

function page(title: string, ...links: readonly string[]): string {
  const anchors = links.map((link) => `<a href="${link}">${link}</a>`).join(' ')
  return `<title>${title}</title><main><p>About ${title}.</p>${anchors}</main>`
}

describeInstance('a crawl', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent
  let site: Site
  /** The address of the site before it moved. */
  let oldSite: Site

  beforeAll(async () => {
    site = await startSite()
    oldSite = await startSite()
    instance = await open({ OUTBOUND_ALLOW_PRIVATE: `${site.host},${oldSite.host}` })
    ada = await instance.person()
  })
  afterAll(() => Promise.all([site.stop(), oldSite.stop()]))
  beforeEach(async () => {
    for (const path of Object.keys(site.pages)) delete site.pages[path]
    agent = await createAgent(instance.ctx, ada, { name: 'Helper' })
  })

  async function read(url: string, kind: 'url' | 'sitemap' = 'url', wanted: Partial<Crawl> = {}) {
    const { id } = await addUrlSource(instance.ctx, ada.workspaceId, {
      appId: agent.id,
      kind,
      url,
      crawl: { depth: 1, maxPages: 50, include: [], exclude: [], title: null, ...wanted },
      refreshEvery: null,
    })
    await runIngestion(instance)
    return await getSource(instance.ctx, ada.workspaceId, id)
  }

  async function readAgain(id: string) {
    await refreshSource(instance.ctx, ada.workspaceId, id)
    await runIngestion(instance)
    return await getSource(instance.ctx, ada.workspaceId, id)
  }

  function documents(sourceId: string) {
    return instance.ctx.db.read
      .selectFrom('knowledge_documents')
      .select(['id', 'url', 'status'])
      .where('source_id', '=', sourceId)
      .orderBy('id')
      .execute()
  }

  async function paths(sourceId: string) {
    const rows = await documents(sourceId)
    return rows.map(({ url }) => String(url).replace(site.origin, '')).sort()
  }

  test('does not store a redirect target that robots.txt disallows', async () => {
    site.pages['/robots.txt'] = { body: 'User-agent: *\nDisallow: /private' }
    site.pages['/'] = page('Home', '/one', '/two')
    site.pages['/one'] = { status: 302, headers: { location: '/private/x' } }
    site.pages['/private/x'] = page('Private')
    site.pages['/two'] = page('Two')
    expect(await paths((await read(`${site.origin}/`)).id)).toEqual(['/', '/two'])
  })

  test('does not index an unchanged page again under any of its addresses', async () => {
    site.pages['/'] = page('Home', '/two?from=home')
    site.pages['/two?from=home'] = `<link rel="canonical" href="/two">${page('Two')}`
    const { id } = await read(`${site.origin}/`)
    const before = await documents(id)
    await readAgain(id)
    expect(await paths(id)).toEqual(['/', '/two'])
    expect(await documents(id)).toEqual(before)
  })

  test('leaves out pages with noindex headers, and follows their links unless nofollow is set', async () => {
    const noindex = { 'x-robots-tag': 'noindex' }
    const none = { 'x-robots-tag': 'otherbot: noarchive, parley: none' }
    const others = { 'x-robots-tag': 'otherbot: noindex, nofollow' }
    const preview = '<meta name="robots" content="index, max-image-preview:none, max-snippet: -1">'
    site.pages['/'] = page('Home', '/hidden', '/silent', '/others', '/preview')
    site.pages['/hidden'] = { body: page('Hidden', '/one'), headers: noindex }
    site.pages['/silent'] = { body: page('Silent', '/two'), headers: none }
    site.pages['/others'] = { body: page('Others', '/three'), headers: others }
    site.pages['/preview'] = preview + page('Preview')
    for (const path of ['/one', '/two', '/three']) site.pages[path] = page(path)
    const { id } = await read(`${site.origin}/`, 'url', { depth: 2 })
    expect(await paths(id)).toEqual(['/', '/one', '/others', '/preview', '/three'])
  })

  test.each([
    ['is unchanged', 200],
    ['answers that it has not changed', 304],
  ])('drops a page with a noindex header, although it %s', async (_, status) => {
    let robots: Record<string, string> = {}
    site.pages['/'] = page('Home', '/one')
    site.pages['/one'] = () => {
      const isKnown = site.server.requests.at(-1)?.headers['if-none-match'] !== undefined
      const headers = { ...robots, etag: '"1"' }
      return {
        status: isKnown ? status : 200,
        headers,
        body: isKnown && status === 304 ? '' : page('One'),
      }
    }
    const { id } = await read(`${site.origin}/`)
    expect(await paths(id)).toEqual(['/', '/one'])
    robots = { 'x-robots-tag': 'noindex' }
    await readAgain(id)
    expect(await paths(id)).toEqual(['/'])
  })

  test('reads a single page that a person names, whatever its headers', async () => {
    site.pages['/one'] = { body: page('One'), headers: { 'x-robots-tag': 'none' } }
    const source = await read(`${site.origin}/one`, 'url', { depth: 0 })
    expect(source).toMatchObject({ status: 'ready', documentCount: 1 })
  })

  test('stops at a site that no longer answers, and keeps its documents', async () => {
    const all = Array.from({ length: 30 }, (_, n) => `/page${n}`)
    site.pages['/'] = page('Home', ...all)
    for (const path of all) site.pages[path] = page(path)
    const { id } = await read(`${site.origin}/`)
    for (const path of all) site.pages[path] = { status: 503 }
    site.server.requests.length = 0
    expect(await readAgain(id)).toMatchObject({
      status: 'partial',
      documentCount: 31,
      error: { code: 'pages_failed', facts: { count: 10, code: 'page_unavailable' } },
    })
    expect(site.asked()).toHaveLength(11)
  })

  test('of a sitemap that has moved reads the pages of its new site', async () => {
    const location = `${site.origin}/map.xml`
    oldSite.pages['/map.xml'] = { status: 301, headers: { location } }
    const body = `<urlset><url><loc>${site.origin}/one</loc></url></urlset>`
    site.pages['/map.xml'] = { body, headers: { 'content-type': 'application/xml' } }
    site.pages['/one'] = page('One')
    expect(await paths((await read(`${oldSite.origin}/map.xml`, 'sitemap')).id)).toEqual(['/one'])
  })

  test('of a sitemap reads an index up to the limit, and reports what it left out', async () => {
    const small = await open({ OUTBOUND_ALLOW_PRIVATE: site.host, MAX_SITEMAPS: '2' })
    const person = await small.person()
    const { id: appId } = await createAgent(small.ctx, person, { name: 'Small' })
    const xml = (...listed: readonly string[]) => ({
      body: `<urlset>${listed.map((path) => `<loc>${site.origin}${path}</loc>`).join('')}</urlset>`,
      headers: { 'content-type': 'application/xml' },
    })
    site.pages['/index.xml'] = xml('/a.xml', '/b.xml', '/c.xml', '/d.xml')
    site.pages['/a.xml'] = { body: 'none of the kind', headers: { 'content-type': 'text/plain' } }
    for (const [map, path] of [
      ['/b.xml', '/b'],
      ['/c.xml', '/c'],
      ['/d.xml', '/d'],
    ] as const) {
      site.pages[map] = xml(path)
      site.pages[path] = page(path)
    }
    const addAndRead = async (maxPages: number) => {
      const { id } = await addUrlSource(small.ctx, person.workspaceId, {
        appId,
        kind: 'sitemap',
        url: `${site.origin}/index.xml`,
        crawl: { depth: 0, maxPages, include: [], exclude: [], title: null },
        refreshEvery: null,
      })
      await runIngestion(small)
      return await getSource(small.ctx, person.workspaceId, id)
    }
    expect(await addAndRead(50)).toMatchObject({
      status: 'partial',
      documentCount: 1,
      error: {
        code: 'pages_failed',
        facts: { count: 1, url: `${site.origin}/a.xml`, sitemaps: 2, limit: 2 },
      },
    })
    site.pages['/a.xml'] = xml('/a')
    site.pages['/a'] = page('/a')
    expect(await addAndRead(50)).toMatchObject({
      status: 'partial',
      documentCount: 2,
      error: { code: 'sitemaps_left_out', facts: { sitemaps: 2, limit: 2 } },
    })
    expect(await addAndRead(2)).toMatchObject({ status: 'ready', error: null })
  })

  test('of a sitemap that lists only another site reports it', async () => {
    const body = '<urlset><url><loc>https://elsewhere.example/one</loc></url></urlset>'
    site.pages['/map.xml'] = { body, headers: { 'content-type': 'application/xml' } }
    expect(await read(`${site.origin}/map.xml`, 'sitemap')).toMatchObject({
      status: 'failed',
      error: { code: 'pages_none' },
    })
  })
})
