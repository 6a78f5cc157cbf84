import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { getSource } from '#features/knowledge/index.ts'
import { searchKnowledge } from '#features/retrieval/index.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { startSite, type Site } from '#test/support/servers/site-server.ts'
import { addUrlSource } from './index.ts'

describeInstance('a page that cannot be read', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent
  let site: Site

  beforeAll(async () => {
    site = await startSite()
    instance = await open({ OUTBOUND_ALLOW_PRIVATE: site.host })
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Helper' })
  })
  afterAll(() => site.stop())

  const get = (id: string) => getSource(instance.ctx, ada.workspaceId, id)

  async function read(path: string) {
    const { id } = await addUrlSource(instance.ctx, ada.workspaceId, {
      appId: agent.id,
      kind: 'url',
      url: path.startsWith('/') ? site.origin + path : path,
      crawl: { depth: 0, maxPages: 1, include: [], exclude: [], title: null },
      refreshEvery: null,
    })
    await runIngestion(instance)
    return await get(id)
  }

  async function search(query: string) {
    const wanted = { appId: agent.id, query, topK: 5 }
    return (await searchKnowledge(instance.ctx, ada.workspaceId, wanted)).items
  }

  test.each([
    ['a redirect loop', { status: 302, headers: { location: '/' } }, 'page_redirects'],
    ['a page that is not there', { status: 404 }, 'page_missing'],
    ['a page behind a sign-in', { status: 401 }, 'page_refused'],
    ['a page without end', { body: Buffer.alloc(17 * 1024 * 1024, 'x') }, 'page_too_large'],
    ['a picture', { body: 'x', headers: { 'content-type': 'image/png' } }, 'source_format_unknown'],
    ['an empty page', { body: '<body></body>' }, 'source_empty'],
    ['a redirect into the network', { status: 302, headers: { location: 'http://[::1]/' } }, null],
    [
      'a redirect to a file',
      { status: 302, headers: { location: 'file:///etc/passwd' } },
      'page_address_refused',
    ],
  ])('%s is a clear error of its source', async (_, answer, code) => {
    site.pages['/'] = answer
    const source = await read('/')
    expect(source.error?.code).toBe(code ?? 'page_unreachable')
    expect(source.status).toBe(code === null ? 'queued' : 'failed')
    expect(await search('root')).toEqual([])
  })

  // Every notation of an address of the machine itself or of its network (SSRF).
  test.each([
    'http://127.0.0.1/',
    'http://localhost/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://0.0.0.0/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.64.0.1/',
    'http://10.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[fd00::1]/',
  ])('%s looks like an unreachable address', async (url) => {
    const source = await read(url)
    expect(source).toMatchObject({
      status: 'queued',
      stage: 'retrying',
      error: { code: 'page_unreachable', facts: { url: new URL(url).href } },
    })
    for (let run = 0; run < 5; run++) await runIngestion(instance)
    expect(await get(source.id)).toMatchObject({ status: 'failed' })
  })

  test('a port other than the usual ones is refused', async () => {
    expect(await read('http://127.0.0.1:22/')).toMatchObject({
      status: 'failed',
      error: { code: 'page_address_refused' },
    })
  })
})
