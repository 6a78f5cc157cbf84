import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeMcp, type McpService } from '#test/support/mcp-service.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { makePdf } from '#test/support/knowledge/sample-documents.ts'
import { startSite, type Site } from '#test/support/servers/site-server.ts'

describeMcp('knowledge that an assistant adds', (open) => {
  let service: McpService
  let site: Site
  let app_id: unknown
  const pdf = makePdf(['The heron nests in April.', 'The marmot whistles in June.'])

  beforeAll(async () => {
    site = await startSite()
    service = await open({ environment: { OUTBOUND_ALLOW_PRIVATE: site.host } })
    app_id = (await service.call('create_app', { name: 'Reader' })).structuredContent.id
  })
  afterAll(() => site.stop())

  async function add(source: object) {
    const added = await service.call('add_knowledge_source', { app_id, ...source })
    expect(added.isError).not.toBe(true)
    expect(added.structuredContent).toMatchObject({ status: 'queued' })
    const source_id = added.structuredContent.id
    await runIngestion(service)
    const ready = await service.call('get_knowledge_source', { source_id })
    expect(ready.structuredContent).toMatchObject({ status: 'ready', error: null })
    const found = await service.call('search_knowledge', { app_id, query: 'marmot', top_k: 100 })
    const items = found.structuredContent.items as { source_id: string }[] // the tool's output
    return items.find((item) => item.source_id === source_id)
  }

  test('as the base64 of a PDF is found with its page', async () => {
    const content_base64 = pdf.toString('base64')
    expect(await add({ kind: 'file', filename: 'birds.pdf', content_base64 })).toMatchObject({
      title: 'birds.pdf',
      url: null,
      page: 2,
      passage: expect.stringContaining('marmot'),
      why: { fulltext: { rank: expect.any(Number), terms: ['marmot'] } },
    })
  })

  test('as the address of a PDF is found with its page and address', async () => {
    site.pages['/birds.pdf'] = { body: pdf, headers: { 'content-type': 'application/pdf' } }
    const url = `${site.origin}/birds.pdf`
    expect(await add({ kind: 'url', url })).toMatchObject({
      url,
      page: 2,
      passage: expect.stringContaining('marmot'),
    })
  })

  test.each([
    [{ kind: 'file', filename: 'a.pdf', content_base64: '***' }, /base64/],
    [{ kind: 'file', filename: 'a.exe', content_base64: 'QQ==' }, /pdf/],
    [{ kind: 'url', url: 'file:///etc/passwd' }, /address/i],
  ])('as %j is refused with a message, and adds nothing', async (source, sentence) => {
    const count = async () => {
      const listed = await service.call('list_knowledge_sources', { app_id, limit: 100 })
      return (listed.structuredContent.items as unknown[]).length // the tool's output
    }
    const before = await count()
    const refused = await service.call('add_knowledge_source', { app_id, ...source })
    expect(refused.isError).toBe(true)
    expect(refused.content[0]?.text).toMatch(sentence)
    expect(await count()).toBe(before)
  })
})
