import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { addUrlSource, ingestSource } from '#features/ingestion/index.ts'
import { searchKnowledge } from '#features/retrieval/index.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { startSite, type Site } from '#test/support/servers/site-server.ts'
import { deleteSource, getSource } from './index.ts'

/** Deleting it takes several units. */
const longPage = (word: string) =>
  `<main>${Array.from({ length: 700 }, (_, n) => `<h2>Part ${n}</h2><p>A ${word}.`).join('')}</main>`

describeInstance('a large source that is deleted while a job reads it', (open) => {
  let instance: TestInstance
  let ada: Person
  let site: Site

  beforeAll(async () => {
    site = await startSite({ '/': longPage('quagga') })
    instance = await open({ OUTBOUND_ALLOW_PRIVATE: site.host })
    ada = await instance.person()
  })
  afterAll(() => site.stop())

  /** Before this unit of the job, a deletion commits its first unit and dies in its second. */
  async function readAgain(sourceId: string, deletedBeforeUnit: number) {
    const { db } = instance.ctx
    const watching = (before: (unit: number) => Promise<void>): TestInstance['ctx'] => {
      let units = 0
      const write: typeof db.write = async (unit) => {
        await before((units += 1))
        return await db.write(unit)
      }
      return { ...instance.ctx, db: { ...db, write } }
    }
    const dying = watching(async (unit) => {
      if (unit > 1) throw new Error('the process has died')
    })
    const deleting = watching(async (unit) => {
      if (unit !== deletedBeforeUnit) return
      await expect(deleteSource(dying, ada.workspaceId, sourceId)).rejects.toThrow('has died')
    })
    const run = { id: 'one', attempt: 1, isLast: false, signal: new AbortController().signal }
    await ingestSource.run(deleting, { sourceId }, run)
  }

  test.each([
    ['stores its first part', 2],
    ['stores more', 3],
  ])('is not found from the first unit on when the job %s', async (_, unit) => {
    site.pages['/'] = longPage('quagga')
    const { id: appId } = await createAgent(instance.ctx, ada, { name: 'Helper' })
    const { id } = await addUrlSource(instance.ctx, ada.workspaceId, {
      appId,
      kind: 'url',
      url: `${site.origin}/`,
      crawl: { depth: 0, maxPages: 1, include: [], exclude: [], title: null },
      refreshEvery: null,
    })
    await runIngestion(instance)
    const found = async (query: string) =>
      (await searchKnowledge(instance.ctx, ada.workspaceId, { appId, query, topK: 1 })).items.length
    expect(await found('quagga')).toBe(1)

    site.pages['/'] = longPage('okapi')
    await readAgain(id, unit)
    await runIngestion(instance)
    expect([await found('quagga'), await found('okapi')]).toEqual([0, 0])
    const left = await getSource(instance.ctx, ada.workspaceId, id)
    expect(left).toMatchObject({ status: 'failed', error: { code: 'interrupted' }, chunkCount: 0 })

    await deleteSource(instance.ctx, ada.workspaceId, id)
    const rows = (table: 'knowledge_chunks' | 'knowledge_documents') =>
      instance.ctx.db.read.selectFrom(table).select('id').where('source_id', '=', id).execute()
    expect([await rows('knowledge_chunks'), await rows('knowledge_documents')]).toEqual([[], []])
  })
})
