import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { getSource, type Crawl } from '#features/knowledge/index.ts'
import { searchKnowledge } from '#features/retrieval/index.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { makePdf } from '#test/support/knowledge/sample-documents.ts'
import { startSite, type Site } from '#test/support/servers/site-server.ts'
import { addUrlSource, refreshSource } from './index.ts'

function page(title: string, text: string, ...links: readonly string[]): string {
  const anchors = links.map((link) => `<a href="${link}">${link}</a>`).join(' ')
  return `<title>${title}</title><main><p>${text}</p>${anchors}</main>`
}

describeInstance('web pages', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent
  let site: Site

  beforeAll(async () => {
    site = await startSite()
    instance = await open({ OUTBOUND_ALLOW_PRIVATE: site.host })
    ada = await instance.person()
  })
  afterAll(() => site.stop())
  beforeEach(async () => {
    for (const path of Object.keys(site.pages)) delete site.pages[path]
    site.server.requests.length = 0
    agent = await createAgent(instance.ctx, ada, { name: 'Helper' })
  })

  interface Wanted extends Partial<Crawl> {
    readonly kind?: 'url' | 'sitemap'
    readonly refreshEvery?: 'hour' | 'day'
  }

  async function add(path: string, { kind = 'url', refreshEvery, ...crawl }: Wanted = {}) {
    const url = path.startsWith('/') ? site.origin + path : path
    const { id } = await addUrlSource(instance.ctx, ada.workspaceId, {
      appId: agent.id,
      kind,
      url,
      crawl: { depth: 0, maxPages: 50, include: [], exclude: [], title: null, ...crawl },
      refreshEvery: refreshEvery ?? null,
    })
    return id
  }

  const get = (id: string) => getSource(instance.ctx, ada.workspaceId, id)

  async function read(path: string, wanted: Wanted = {}) {
    const id = await add(path, wanted)
    await runIngestion(instance)
    return await get(id)
  }

  async function search(query: string) {
    const wanted = { appId: agent.id, query, topK: 5 }
    return (await searchKnowledge(instance.ctx, ada.workspaceId, wanted)).items
  }

  async function addresses(sourceId: string) {
    const rows = await instance.ctx.db.read
      .selectFrom('knowledge_documents')
      .select(['url', 'status'])
      .where('source_id', '=', sourceId)
      .execute()
    for (const { status } of rows) expect(status).toBe('ready')
    return rows.map(({ url }) => String(url).replace(site.origin, '')).sort()
  }

  test('that are not indexed and link to ever new ones are read up to a limit', async () => {
    const robots = '<meta name="robots" content="noindex">'
    for (let at = 0; at < 200; at++) {
      const links = Array.from({ length: 3 }, (_, n) => `/maze/${at * 3 + n + 1}`)
      site.pages[`/maze/${at}`] = robots + page(`Room ${at}`, 'Nothing here.', ...links)
    }
    const source = await read('/maze/0', { depth: 10, maxPages: 1 })
    expect(source.error?.code).toBe('pages_none')
    const requested = site.server.requests.filter(({ path }) => path.startsWith('/maze/'))
    expect(requested).toHaveLength(20)
  })

  test('are found with their title and address', async () => {
    site.pages['/rates?year=1'] = page('Rates', 'The gecko costs two euros.')
    const source = await read('/rates?year=1#top')
    expect(source).toMatchObject({ kind: 'url', status: 'ready', title: 'Rates', documentCount: 1 })
    expect(await search('gecko')).toMatchObject([
      { title: 'Rates', url: `${site.origin}/rates?year=1`, text: 'The gecko costs two euros.' },
    ])
  })

  test('that are PDF have page numbers and an address', async () => {
    const body = makePdf(['first', 'The heron stands'])
    site.pages['/a'] = { body, headers: { 'content-type': 'application/pdf' } }
    await read('/a', { title: 'Birds' })
    expect(await search('heron')).toMatchObject([
      { title: 'Birds', url: `${site.origin}/a`, page: 2 },
    ])
  })

  describe('a crawl', () => {
    beforeEach(() => {
      site.pages['/'] = page(
        'Home',
        'start',
        '/one',
        '/two',
        '/private/x',
        'http://elsewhere.example/',
      )
      site.pages['/one'] = page('One', 'first', '/three', '/one#again')
      site.pages['/two'] = page('Two', 'second')
      site.pages['/three'] = page('Three', 'third', '/four')
      site.pages['/four'] = page('Four', 'fourth')
      site.pages['/private/x'] = page('Private', 'secret')
    })

    test('follows links of the same site to its depth, each once', async () => {
      const source = await read('/', { depth: 1 })
      expect(await addresses(source.id)).toEqual(['/', '/one', '/private/x', '/two'])
      expect(source).toMatchObject({ status: 'ready', documentCount: 4, title: 'Home' })
      expect(await addresses((await read('/', { depth: 3 })).id)).toHaveLength(6)
    })

    test('reads at most max_pages pages', async () => {
      expect(await addresses((await read('/', { depth: 3, maxPages: 3 })).id)).toHaveLength(3)
    })

    test('leaves out pages that are excluded or not included', async () => {
      const some = { depth: 3, include: [`${site.origin}/`, '/o*', '/t*'], exclude: ['*hree'] }
      expect(await addresses((await read('/', some)).id)).toEqual(['/', '/one', '/two'])
    })

    test('obeys robots.txt and the pages', async () => {
      const body = 'User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /private\nAllow: /'
      site.pages['/robots.txt'] = { body }
      site.pages['/two'] = `<meta name="robots" content="noindex">${page('Two', 'x', '/four')}`
      const source = await read('/', { depth: 2 })
      expect(await addresses(source.id)).toEqual(['/', '/four', '/one', '/three'])
      expect(source).toMatchObject({ status: 'ready', error: null })
      expect(site.asked()).not.toContain('/private/x')
    })

    test('reads nothing from a site that disallows everything', async () => {
      site.pages['/robots.txt'] = { body: 'User-agent: Parley\nDisallow: /' }
      expect(await read('/', { depth: 1 })).toMatchObject({
        status: 'failed',
        error: { code: 'page_disallowed' },
      })
      expect(site.asked()).toEqual([])
    })

    test('stores a page with several addresses once, under its canonical one', async () => {
      const two = `<link rel="canonical" href="/two">${page('Two', 'second')}`
      site.pages['/'] = page('Home', 'start', '/two?from=home', '/two?ref=1', '/two')
      for (const path of ['/two', '/two?from=home', '/two?ref=1']) site.pages[path] = two
      const source = await read('/', { depth: 1 })
      expect(await addresses(source.id)).toEqual(['/', '/two'])
    })

    test('continues after a page that fails, and reports it', async () => {
      site.pages['/two'] = { status: 500 }
      const source = await read('/', { depth: 1 })
      expect(source).toMatchObject({
        status: 'partial',
        documentCount: 3,
        error: {
          code: 'pages_failed',
          facts: { count: 1, url: `${site.origin}/two`, code: 'page_unavailable' },
        },
      })
    })

    test('lists each failed page with its reason until it can be read', async () => {
      const two = `${site.origin}/two`
      site.pages['/one'] = { status: 302, headers: { location: '/one' } }
      site.pages['/two'] = { status: 500 }
      const source = await read('/', { depth: 1 })
      expect(source.error).toMatchObject({ code: 'pages_failed', facts: { count: 2 } })
      expect(source.error?.pages).toEqual([
        { url: `${site.origin}/one`, code: 'page_redirects', facts: expect.anything() },
        { url: two, code: 'page_unavailable', facts: { status: 500, url: two } },
      ])
      for (const path of ['/one', '/two']) site.pages[path] = page('Mended', 'again')
      await refreshSource(instance.ctx, ada.workspaceId, source.id)
      await runIngestion(instance)
      expect(await get(source.id)).toMatchObject({ status: 'ready', error: null })
    })

    test('that is repeated indexes new pages, keeps unchanged ones and drops missing ones', async () => {
      const source = await read('/', { depth: 1 })
      const idOf = async (path: string) =>
        (
          await instance.ctx.db.read
            .selectFrom('knowledge_documents')
            .select('id')
            .where('source_id', '=', source.id)
            .where('url', '=', site.origin + path)
            .executeTakeFirst()
        )?.id
      const [one, two] = [await idOf('/one'), await idOf('/two')]
      site.pages['/'] = page('Home', 'start', '/one', '/two', '/four')
      site.pages['/two'] = page('Two', 'the lemur moved in')
      await refreshSource(instance.ctx, ada.workspaceId, source.id)
      await runIngestion(instance)
      expect(await addresses(source.id)).toEqual(['/', '/four', '/one', '/two'])
      expect(await idOf('/one')).toBe(one)
      expect(await idOf('/two')).not.toBe(two)
      expect(await search('lemur')).toHaveLength(1)
      expect(await search('second')).toEqual([])
    })

    test('that was interrupted is resumed and requests no page twice', async () => {
      const id = await add('/', { depth: 3 })
      await runIngestion(instance, { diesAtUnit: 8 })
      const before = site.asked().length
      expect(before).toBeGreaterThan(1)
      // A page is found from when it is read, not only with the last one.
      expect(await search('start')).toHaveLength(1)
      await runIngestion(instance)
      expect(await addresses(id)).toHaveLength(6)
      const twice = site.asked().filter((path, at, all) => all.indexOf(path) !== at)
      expect(twice.length).toBeLessThanOrEqual(1)
    })

    test('of a sitemap reads the listed pages, also through an index', async () => {
      const loc = (path: string) => `<loc>${site.origin}${path}</loc>`
      const xml = (body: string) => ({ body, headers: { 'content-type': 'application/xml' } })
      site.pages['/index.xml'] = xml(
        `<sitemapindex><sitemap>${loc('/s.xml')}</sitemap><sitemap>${loc('/sitemap?of=posts')}</sitemap></sitemapindex>`,
      )
      site.pages['/sitemap?of=posts'] = xml(`<urlset><url>${loc('/two')}</url></urlset>`)
      site.pages['/s.xml'] = xml(
        `<urlset><url>${loc('/one')}</url><url>${loc('/four')}</url></urlset>`,
      )
      const source = await read('/index.xml', { kind: 'sitemap' })
      expect(await addresses(source.id)).toEqual(['/four', '/one', '/two'])
    })
  })

  test('that answer 304 are not sent again, and their links are followed', async () => {
    let sent = 0
    site.pages['/'] = () => {
      const asked = site.server.requests.at(-1)?.headers['if-none-match']
      if (asked === '"v1"') return { status: 304 }
      sent += 1
      return { body: page('Home', 'start', '/one'), headers: { etag: '"v1"' } }
    }
    site.pages['/one'] = page('One', 'first')
    const source = await read('/', { depth: 1 })
    site.pages['/one'] = page('One', 'the marmot whistles')
    await refreshSource(instance.ctx, ada.workspaceId, source.id)
    await runIngestion(instance)
    expect(sent).toBe(1)
    expect(await search('marmot')).toHaveLength(1)
    expect(await get(source.id)).toMatchObject({ status: 'ready', documentCount: 2 })
  })

  test('are read again on schedule, and keep their old version while they are unavailable', async () => {
    site.pages['/'] = page('Home', 'The bison grazes.')
    const source = await read('/', { refreshEvery: 'day' })
    expect(source.nextRefreshAt).toBe(instance.ctx.clock.now() + 24 * 60 * 60 * 1000)
    site.pages['/'] = page('Home', 'The yak grazes.')
    await runIngestion(instance)
    expect(await search('bison')).toHaveLength(1)
    instance.advance(24 * 60 * 60 * 1000)
    await runIngestion(instance)
    expect(await search('bison')).toEqual([])
    expect(await search('yak')).toHaveLength(1)
    site.pages['/'] = { status: 404 }
    await refreshSource(instance.ctx, ada.workspaceId, source.id, null)
    await runIngestion(instance)
    expect(await get(source.id)).toMatchObject({
      status: 'partial',
      error: { code: 'page_missing', facts: { status: 404 } },
      nextRefreshAt: null,
    })
    expect(await search('yak')).toHaveLength(1)
  })

  test('of a site that is down are retried until it answers', async () => {
    site.pages['/'] = { status: 503 }
    const id = await add('/')
    await runIngestion(instance)
    expect(await get(id)).toMatchObject({
      status: 'queued',
      stage: 'retrying',
      error: { code: 'page_unavailable', facts: { status: 503 } },
    })
    site.pages['/'] = page('Home', 'The stoat is back.')
    await runIngestion(instance)
    expect(await get(id)).toMatchObject({ status: 'ready', error: null })
  })
})
