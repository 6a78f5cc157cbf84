import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { getSource } from '#features/knowledge/index.ts'
import { searchKnowledge } from '#features/retrieval/index.ts'
import { describeSourceError } from '#operations/knowledge/source-error-wording.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { damagePage, losePage, makePdf } from '#test/support/knowledge/sample-documents.ts'
import { startSite, type Site } from '#test/support/servers/site-server.ts'
import { addFileSource, addUrlSource, refreshSource } from './index.ts'

const whole = makePdf(['The okapi', 'The heron', 'The gnu', 'The ibex', 'The yak'])
/** Its pages are damaged from the third on. */
const broken = damagePage(whole, 3)

describeInstance('a PDF with damaged pages', (open) => {
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
    agent = await createAgent(instance.ctx, ada, { name: 'Helper' })
  })

  const pdf = (body: Buffer) => ({
    body,
    headers: { 'content-type': 'application/pdf', etag: '"1"' },
  })

  async function readFile(bytes: Buffer) {
    const input = { appId: agent.id, filename: 'zoo.pdf', bytes: [bytes] }
    const { id } = await addFileSource(instance.ctx, ada.workspaceId, input)
    await runIngestion(instance)
    return await get(id)
  }

  async function readPages(path: string, depth: number) {
    const { id } = await addUrlSource(instance.ctx, ada.workspaceId, {
      appId: agent.id,
      kind: 'url',
      url: site.origin + path,
      crawl: { depth, maxPages: 50, include: [], exclude: [], title: null },
      refreshEvery: null,
    })
    await runIngestion(instance)
    return await get(id)
  }

  const get = (id: string) => getSource(instance.ctx, ada.workspaceId, id)

  async function readAgain(id: string) {
    await refreshSource(instance.ctx, ada.workspaceId, id)
    await runIngestion(instance)
    return await get(id)
  }

  async function pagesFound() {
    const wanted = { appId: agent.id, query: 'okapi heron gnu ibex yak', topK: 9 }
    const { items } = await searchKnowledge(instance.ctx, ada.workspaceId, wanted)
    const rows = await instance.ctx.db.read
      .selectFrom('knowledge_chunks')
      .select('page')
      .where('agent_id', '=', agent.id)
      .orderBy('page')
      .execute()
    return items.length === 0 ? [] : rows.map(({ page }) => page)
  }

  test('is found by its other pages and shows the missing ones after every reading', async () => {
    const source = await readFile(broken)
    const error = { code: 'document_pages_failed', facts: { count: 3, pages_left_out: '3–5' } }
    expect(source).toMatchObject({ status: 'partial', documentCount: 1, error })
    expect(source.error?.pages?.map(({ url }) => url)).toEqual(
      [3, 4, 5].map((page) => `zoo.pdf#page=${page}`),
    )
    expect(source.error === null ? '' : describeSourceError(source.error).message).toMatch(
      /^3 pages of the document are damaged and left out: 3–5\./,
    )
    expect(await pagesFound()).toEqual([1, 2])
    expect(await readAgain(source.id)).toMatchObject({ status: 'partial', documentCount: 1, error })
    expect(await pagesFound()).toEqual([1, 2])
  })

  test('at an address shows them until it is fixed', async () => {
    site.pages['/zoo.pdf'] = pdf(losePage(whole, 2))
    const source = await readPages('/zoo.pdf', 0)
    const error = { code: 'document_pages_failed', facts: { count: 1, pages_left_out: '2' } }
    expect(source).toMatchObject({ status: 'partial', error })
    expect(await readAgain(source.id)).toMatchObject({ status: 'partial', error })
    site.pages['/zoo.pdf'] = pdf(whole)
    expect(await readAgain(source.id)).toMatchObject({ status: 'ready', error: null })
    expect(await pagesFound()).toEqual([1, 2, 3, 4, 5])
  })

  test('in a crawl is listed with the failed pages', async () => {
    site.pages['/'] = '<title>Home</title><p>start <a href="/zoo.pdf">Zoo</a>'
    site.pages['/zoo.pdf'] = pdf(losePage(whole, 3))
    const source = await readPages('/', 1)
    const url = `${site.origin}/zoo.pdf#page=3`
    const error = {
      code: 'pages_failed',
      facts: { count: 1, url, code: 'document_damaged' },
      pages: [{ url, code: 'document_damaged', facts: { page: 3 } }],
    }
    expect(source).toMatchObject({ status: 'partial', documentCount: 2, error })
    expect(await readAgain(source.id)).toMatchObject({ status: 'partial', documentCount: 2, error })
  })

  test('fails when its other pages are empty', async () => {
    const source = await readFile(damagePage(makePdf(['The okapi', '']), 1))
    expect(source).toMatchObject({
      status: 'failed',
      error: { code: 'document_damaged', facts: {} },
    })
    expect(source.error === null ? '' : describeSourceError(source.error).message).toMatch(
      /^The document is damaged/,
    )
  })
})
