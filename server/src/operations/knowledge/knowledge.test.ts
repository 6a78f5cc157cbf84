import { beforeAll, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { startSite } from '#test/support/servers/site-server.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

describeInstance('the operations of knowledge', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Helper' })
  })

  async function call(name: string, input: unknown, person = ada, at = instance) {
    const operation = findOperation(name)
    if (operation === undefined) throw new Error(`no operation ${name}`)
    return await runOperation(at.ctx, actorOf(person), operation, input)
  }

  function add(title: string, text: string) {
    return call('add_knowledge_source', { app_id: agent.appNameId, kind: 'text', title, text })
  }

  test('a source is the same record when it is added, shown, listed, found and deleted', async () => {
    const source = await add('Returns', 'Send it back within 30 days.')
    expect(source).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      app_id: agent.id,
      workspace_id: ada.workspaceId,
      kind: 'text',
      title: 'Returns',
      url: null,
      filename: null,
      status: 'ready',
      stage: null,
      progress: 100,
      error: null,
      bytes: 28,
      document_count: 1,
      chunk_count: 1,
      token_count: 7,
      refresh_every: null,
      last_indexed_at: '2026-01-02T03:04:05.678Z',
      next_refresh_at: null,
      crawl: null,
      created_at: '2026-01-02T03:04:05.678Z',
      updated_at: '2026-01-02T03:04:05.678Z',
    })
    const source_id = source.id
    expect(await call('get_knowledge_source', { source_id })).toEqual(source)
    const list = { items: [source], next_cursor: null }
    expect(await call('list_knowledge_sources', { app_id: agent.id })).toEqual(list)
    expect(await call('search_knowledge', { app_id: agent.id, query: 'sending back' })).toEqual({
      items: [
        {
          source_id,
          title: 'Returns',
          score: expect.any(Number),
          why: {
            fulltext: { rank: 1, score: expect.any(Number), terms: expect.any(Array) },
            vector: null,
          },
          passage: 'Send it back within 30 days.',
          heading: '',
          url: null,
          page: null,
        },
      ],
      next_cursor: null,
      mode: 'fulltext',
      note: null,
    })
    expect(await call('list_source_documents', { source_id })).toEqual({
      items: [
        {
          id: expect.any(String),
          status: 'ready',
          title: null,
          url: null,
          page_count: null,
          chunk_count: 1,
          checked_at: expect.any(String),
        },
      ],
      next_cursor: null,
      failed: [],
    })
    expect(await call('delete_knowledge_source', { source_id })).toEqual(source)
    await expect(call('get_knowledge_source', { source_id })).rejects.toMatchObject({
      code: 'record_not_found',
    })
  })

  test('a file is read by a job, and a problem is explained in a sentence', async () => {
    const file = { app_id: agent.id, kind: 'file', filename: 'guide.pdf' }
    const content_base64 = Buffer.from('no pdf').toString('base64')
    const { id: source_id, status } = await call('add_knowledge_source', {
      ...file,
      content_base64,
    })
    expect(status).toBe('queued')
    await runIngestion(instance)
    expect(await call('get_knowledge_source', { source_id })).toMatchObject({
      status: 'failed',
      error: {
        code: 'document_damaged',
        message: expect.stringMatching(/^The document is damaged/),
      },
    })
    expect(await call('refresh_knowledge_source', { source_id })).toMatchObject({
      status: 'queued',
    })
    await expect(
      call('add_knowledge_source', { ...file, content_base64: '***' }),
    ).rejects.toMatchObject({ code: 'source_encoding_invalid' })
  })

  test('a page of a crawl that could not be read is listed with the reason in a sentence', async () => {
    const site = await startSite({
      '/': '<title>Home</title><main>Start <a href="/two">two</a></main>',
      '/two': { status: 500 },
    })
    const reaching = await open({ OUTBOUND_ALLOW_PRIVATE: site.host })
    const eve = await reaching.person()
    const { id: app_id } = await createAgent(reaching.ctx, eve, { name: 'Reader' })
    const crawl = { app_id, kind: 'url', url: `${site.origin}/`, crawl_depth: 1 }
    const { id: source_id } = await call('add_knowledge_source', crawl, eve, reaching)
    await runIngestion(reaching)
    expect(await call('list_source_documents', { source_id }, eve, reaching)).toMatchObject({
      items: [{ url: `${site.origin}/`, status: 'ready' }],
      failed: [
        {
          url: `${site.origin}/two`,
          code: 'page_unavailable',
          message: 'The site could not answer (500). Refresh the source later.',
        },
      ],
    })
    const shown = await call('get_knowledge_source', { source_id }, eve, reaching)
    expect(shown.error).toMatchObject({
      message: expect.stringMatching(/^1 page could not be read\. It is http/),
    })
    await site.stop()
  })

  test.each([
    ['text', { title: 'T' }, 'text'],
    ['text', { text: 'T' }, 'title'],
    ['file', { filename: 'a.md' }, 'content_base64'],
    ['file', { content_base64: 'QQ==' }, 'filename'],
    ['url', {}, 'url'],
    ['sitemap', {}, 'url'],
  ])('a %s with only %j is rejected with the missing field %s', async (kind, fields, field) => {
    await expect(
      call('add_knowledge_source', { app_id: agent.id, kind, ...fields }),
    ).rejects.toMatchObject({ code: 'source_field_missing', facts: { kind, field } })
  })

  test('a text that takes many units is one audit event', async () => {
    const section = `\n\n${'word '.repeat(50)}\n\n`
    const text = Array.from({ length: 700 }, (_, n) => `# Section ${n}${section}`).join('')
    const { id, chunk_count } = await add('Long', text)
    expect(chunk_count).toBe(700)
    const events = await instance.ctx.db.read
      .selectFrom('audit_events')
      .select(['action', 'outcome'])
      .where('target', '=', String(id))
      .execute()
    expect(events).toEqual([{ action: 'add_knowledge_source', outcome: 'done' }])
  })

  test('a source is found by its id in any workspace of the user, and by no other user', async () => {
    const bob = await instance.person()
    const { id: source_id } = await add('Shared', 'A text.')
    const lookUp = () => call('get_knowledge_source', { source_id }, bob)
    await expect(lookUp()).rejects.toMatchObject({ code: 'record_not_found' })
    await instance.join(bob, ada.workspaceId, 'viewer')
    expect(await lookUp()).toMatchObject({ title: 'Shared' })
    await expect(call('delete_knowledge_source', { source_id }, bob)).rejects.toMatchObject({
      code: 'permission_denied',
    })
  })

  test.each([
    ['add_knowledge_source', { title: 'T', text: '' }],
    ['add_knowledge_source', { title: ' ', text: 'text' }],
    ['add_knowledge_source', { title: 'T', text: 'text', kind: 'pdf' }],
    ['search_knowledge', { query: 'x', top_k: 0 }],
    ['search_knowledge', { query: 'x', top_k: 101 }],
    ['search_knowledge', { query: 'x'.repeat(10_001) }],
  ])('%s refuses %j', async (name, input) => {
    await expect(call(name, { app_id: agent.id, ...input })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })
})
