import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { describeGround, type Ground, type Person } from '#test/support/ground.ts'
import { runIngestion } from '#test/support/run-ingestion.ts'
import { startSite, type Site } from '#test/support/site-server.ts'
import { addUrlSource, getSource, refreshSource } from './index.ts'

function page(title: string, ...links: readonly string[]): string {
  const anchors = links.map((link) => `<a href="${link}">${link}</a>`).join(' ')
  return `<title>${title}</title><main><p>About ${title}.</p>${anchors}</main>`
}

describeGround('a crawl', (open) => {
  let ground: Ground
  let ada: Person
  let agent: Agent
  let site: Site
  /** Where the site was before it moved. */
  let oldSite: Site

  beforeAll(async () => {
    site = await startSite()
    oldSite = await startSite()
    ground = await open({ OUTBOUND_ALLOW_PRIVATE: `${site.host},${oldSite.host}` })
    ada = await ground.person()
  })
  afterAll(() => Promise.all([site.stop(), oldSite.stop()]))
  beforeEach(async () => {
    for (const path of Object.keys(site.pages)) delete site.pages[path]
    agent = await createAgent(ground.ctx, ada, { name: 'Helper' })
  })

  async function read(url: string, kind: 'url' | 'sitemap' = 'url') {
    const { id } = await addUrlSource(ground.ctx, ada.workspaceId, {
      appId: agent.id,
      kind,
      url,
      crawl: { depth: 1, maxPages: 50, include: [], exclude: [], title: null },
      refreshEvery: null,
    })
    await runIngestion(ground)
    return await getSource(ground.ctx, ada.workspaceId, id)
  }

  async function readAgain(id: string) {
    await refreshSource(ground.ctx, ada.workspaceId, id)
    await runIngestion(ground)
    return await getSource(ground.ctx, ada.workspaceId, id)
  }

  function documents(sourceId: string) {
    return ground.ctx.db.read
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

  test('keeps nothing of what a redirect leads to against the wish of robots.txt', async () => {
    site.pages['/robots.txt'] = { body: 'User-agent: *\nDisallow: /private' }
    site.pages['/'] = page('Home', '/one', '/two')
    site.pages['/one'] = { status: 302, headers: { location: '/private/x' } }
    site.pages['/private/x'] = page('Private')
    site.pages['/two'] = page('Two')
    expect(await paths((await read(`${site.origin}/`)).id)).toEqual(['/', '/two'])
  })

  test('does not index a page again that is as it was, under whichever address', async () => {
    site.pages['/'] = page('Home', '/two?from=home')
    site.pages['/two?from=home'] = `<link rel="canonical" href="/two">${page('Two')}`
    const { id } = await read(`${site.origin}/`)
    const before = await documents(id)
    await readAgain(id)
    expect(await paths(id)).toEqual(['/', '/two'])
    expect(await documents(id)).toEqual(before)
  })

  test('leaves a site alone that answers no more, and keeps what it had of it', async () => {
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

  test('of a sitemap that has moved reads the pages of where it is now', async () => {
    const location = `${site.origin}/map.xml`
    oldSite.pages['/map.xml'] = { status: 301, headers: { location } }
    const body = `<urlset><url><loc>${site.origin}/one</loc></url></urlset>`
    site.pages['/map.xml'] = { body, headers: { 'content-type': 'application/xml' } }
    site.pages['/one'] = page('One')
    expect(await paths((await read(`${oldSite.origin}/map.xml`, 'sitemap')).id)).toEqual(['/one'])
  })

  test('of a sitemap that lists only another site says so', async () => {
    const body = '<urlset><url><loc>https://elsewhere.example/one</loc></url></urlset>'
    site.pages['/map.xml'] = { body, headers: { 'content-type': 'application/xml' } }
    expect(await read(`${site.origin}/map.xml`, 'sitemap')).toMatchObject({
      status: 'failed',
      error: { code: 'pages_none' },
    })
  })
})
