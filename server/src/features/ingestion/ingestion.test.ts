import { beforeAll, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import {
  clearDocument,
  listDocumentRows,
  deleteSource,
  getSource,
  listSources,
} from '#features/knowledge/index.ts'
import { searchKnowledge } from '#features/retrieval/index.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { makePdf, makeZip } from '#test/support/knowledge/sample-documents.ts'
import { addFileSource, addUrlSource, refreshSource } from './index.ts'

const longCsv = ['name,about', ...Array.from({ length: 4000 }, (_, n) => `n${n},ibex ${n}`)].join(
  '\n',
)

describeInstance('files', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  async function newAgent() {
    agent = await createAgent(instance.ctx, ada, { name: 'Helper' })
  }

  function add(filename: string, content: string | Buffer) {
    const bytes = [Buffer.from(content)]
    return addFileSource(instance.ctx, ada.workspaceId, { appId: agent.id, filename, bytes })
  }

  async function read(filename: string, content: string | Buffer) {
    const { id } = await add(filename, content)
    await runIngestion(instance)
    return await getSource(instance.ctx, ada.workspaceId, id)
  }

  async function search(query: string) {
    const wanted = { appId: agent.id, query, topK: 5 }
    return (await searchKnowledge(instance.ctx, ada.workspaceId, wanted)).items
  }

  async function countRows(sourceId: string) {
    const tables = ['knowledge_chunks', 'knowledge_documents', 'knowledge_file_pieces'] as const
    const counts = tables.map(async (table) => {
      const rows = await instance.ctx.db.read
        .selectFrom(table)
        .select('source_id')
        .where('source_id', '=', sourceId)
        .execute()
      return rows.length
    })
    return await Promise.all(counts)
  }

  test('are queued, read by a job, and found by their pages', async () => {
    await newAgent()
    const pdf = makePdf(['# Start\nThe okapi wakes', '# End\nThe pangolin sleeps'])
    const added = await add('animals.pdf', pdf)
    expect(added).toMatchObject({ kind: 'file', status: 'queued', title: 'animals.pdf' })
    expect(await search('pangolin')).toEqual([])
    await runIngestion(instance)
    const source = await getSource(instance.ctx, ada.workspaceId, added.id)
    expect(source).toMatchObject({
      status: 'ready',
      progress: 100,
      error: null,
      bytes: pdf.length,
      chunkCount: 2,
      documentCount: 1,
    })
    expect(await search('pangolin')).toMatchObject([
      { title: 'animals.pdf', page: 2, heading: 'End', text: 'The pangolin sleeps' },
    ])
  })

  test('of several hundred chunks are found and deleted completely', async () => {
    await newAgent()
    const source = await read('long.csv', longCsv)
    expect(source).toMatchObject({ status: 'ready' })
    expect(source.chunkCount).toBeGreaterThan(50)
    expect(await search('ibex 3999')).toHaveLength(1)
    await deleteSource(instance.ctx, ada.workspaceId, source.id)
    expect(await search('ibex')).toEqual([])
    expect(await countRows(source.id)).toEqual([0, 0, 0])
  })

  test.each([
    ['broken.pdf', 'no pdf', 'document_damaged'],
    [
      'bomb.docx',
      makeZip({ 'word/document.xml': Buffer.alloc(140_000_000) }),
      'document_unpacks_too_large',
    ],
    ['scan.pdf', makePdf(['']), 'source_empty'],
  ])('%s fails with a clear error and affects nothing else', async (filename, content, code) => {
    await newAgent()
    const good = await read('good.md', 'The axolotl smiles.')
    const source = await read(filename, content)
    expect(source).toMatchObject({ status: 'failed', chunkCount: 0, error: { code } })
    expect(good).toMatchObject({ status: 'ready' })
    expect(await search('axolotl')).toHaveLength(1)
  })

  test('of an unknown format, empty or too large are refused and leave nothing behind', async () => {
    await newAgent()
    await expect(add('film.mp4', 'x')).rejects.toMatchObject({ code: 'source_format_unknown' })
    await expect(add('empty.md', '')).rejects.toMatchObject({ code: 'source_empty' })
    const small = await open({ MAX_FILE_SOURCE_BYTES: '10' })
    const person = await small.person()
    const { id: appId } = await createAgent(small.ctx, person, { name: 'Small' })
    const input = { appId, filename: 'a.md', bytes: [Buffer.alloc(6), Buffer.alloc(6)] }
    await expect(addFileSource(small.ctx, person.workspaceId, input)).rejects.toMatchObject({
      code: 'source_too_large',
      facts: { bytes: 12, limit_bytes: 10 },
    })
    for (const [ctx, workspaceId, app] of [
      [instance.ctx, ada.workspaceId, agent.id],
      [small.ctx, person.workspaceId, appId],
    ] as const)
      expect(await listSources(ctx, workspaceId, app, { limit: 9 })).toMatchObject({ items: [] })
  })

  test('that the agent already has are the same source and not indexed twice', async () => {
    await newAgent()
    const first = await read('twin.md', 'One quokka.')
    const second = await add('twin.md', 'One quokka.')
    expect(second.id).toBe(first.id)
    expect((await add('twin.md', 'Two quokkas.')).id).not.toBe(first.id)
    await runIngestion(instance)
    expect(await search('quokka')).toHaveLength(2)
  })

  test('that have not changed are not indexed again by a refresh', async () => {
    await newAgent()
    const { id } = await read('same.md', 'A capybara.')
    const chunkIds = () =>
      instance.ctx.db.read
        .selectFrom('knowledge_chunks')
        .select('id')
        .where('source_id', '=', id)
        .execute()
    const before = await chunkIds()
    expect(await refreshSource(instance.ctx, ada.workspaceId, id)).toMatchObject({
      status: 'queued',
    })
    expect(await search('capybara')).toHaveLength(1)
    await runIngestion(instance)
    expect(await getSource(instance.ctx, ada.workspaceId, id)).toMatchObject({ status: 'ready' })
    expect(await chunkIds()).toEqual(before)
  })

  test('whose reading is interrupted are read completely by the next run, each chunk once', async () => {
    await newAgent()
    const { id } = await add('cut.csv', longCsv.replaceAll('ibex', 'tapir'))
    for (const unit of [2, 3, 5]) await runIngestion(instance, { diesAtUnit: unit })
    expect(await search('tapir')).toEqual([])
    await runIngestion(instance)
    const rows = await instance.ctx.db.read
      .selectFrom('knowledge_chunks')
      .select(['ordinal', 'document_id', 'text'])
      .where('source_id', '=', id)
      .orderBy('ordinal')
      .execute()
    expect(new Set(rows.map((row) => row.document_id)).size).toBe(1)
    expect(rows.map(({ ordinal }) => ordinal)).toEqual(rows.map((_, n) => n))
    const names = rows.flatMap(({ text }) => text.match(/n\d+(?= )/g) ?? [])
    expect(names).toEqual(Array.from({ length: 4000 }, (_, n) => `n${n}`))
  })

  test('whose chunks another run has deleted are left to that run', async () => {
    await newAgent()
    const rows = Array.from({ length: 8_000 }, (_, n) => `n${n},gnu ${n}`)
    const { id } = await add('taken.csv', ['name,about', ...rows].join('\n'))
    const stalled = runIngestion(instance)
    while ((await countRows(id))[0] === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const { db } = instance.ctx
    await db.write(async (tx) => {
      for (const document of await listDocumentRows(tx, id))
        await clearDocument(tx, db, document.id)
    })
    await stalled
    const source = () => getSource(instance.ctx, ada.workspaceId, id)
    expect(await source()).toMatchObject({ status: 'processing', error: null })
    await runIngestion(instance)
    expect(await source()).toMatchObject({ status: 'ready', error: null, documentCount: 1 })
    expect((await countRows(id))[0]).toBe((await source()).chunkCount)
  })

  test('of many megabytes show the progress of their reading', async () => {
    await newAgent()
    const about = 'a thing of which there is a lot to say '.repeat(10)
    const rows = Array.from({ length: 10_000 }, (_, n) => `n${n},${about}${n}`)
    const { id } = await add('wide.csv', ['name,about', ...rows].join('\n'))
    await runIngestion(instance, { diesAtUnit: 6 })
    const { progress } = await getSource(instance.ctx, ada.workspaceId, id)
    expect(progress).toBeGreaterThan(0)
    expect(progress).toBeLessThan(45)
    await deleteSource(instance.ctx, ada.workspaceId, id)
  })

  test('that are deleted while they are read leave nothing behind', async () => {
    await newAgent()
    const { id } = await add('doomed.csv', longCsv)
    const running = runIngestion(instance)
    while ((await countRows(id))[0] === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await deleteSource(instance.ctx, ada.workspaceId, id)
    await running
    expect(await countRows(id)).toEqual([0, 0, 0])
    const { chunk_count, term_count } = await instance.ctx.db.read
      .selectFrom('knowledge_collections')
      .selectAll()
      .where('agent_id', '=', agent.id)
      .executeTakeFirstOrThrow()
    expect([chunk_count, term_count]).toEqual([0, 0])
  })

  test('that cannot be read in six runs fail with a reason', async () => {
    await newAgent()
    const { id } = await add('unlucky.csv', longCsv)
    for (let run = 0; run < 6; run++) await runIngestion(instance, { diesAtUnit: 3 })
    await runIngestion(instance)
    expect(await getSource(instance.ctx, ada.workspaceId, id)).toMatchObject({
      status: 'failed',
      error: { code: 'interrupted' },
    })
  })

  test('an address that is not http(s) is refused', async () => {
    await newAgent()
    const crawl = { depth: 0, maxPages: 1, include: [], exclude: [], title: null }
    for (const url of ['file:///etc/passwd', 'nonsense', 'https://a:b@example.com/', 'ftp://x/'])
      await expect(
        addUrlSource(instance.ctx, ada.workspaceId, {
          appId: agent.id,
          kind: 'url',
          url,
          crawl,
          refreshEvery: null,
        }),
      ).rejects.toMatchObject({ code: 'source_address_invalid' })
  })
})
