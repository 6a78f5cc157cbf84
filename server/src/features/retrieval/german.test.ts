import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { findCollection } from '#features/full-text/index.ts'
import { renewIndex } from '#features/full-text/renew-index.ts'
import { formerIndexes } from '#features/full-text/former-indexes.ts'
import { addTextSource } from '#features/ingestion/index.ts'
import { analyse } from '#features/text-analysis/index.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { searchKnowledge } from './index.ts'

const texts = {
  Preise: 'Der Preis beträgt zehn Euro. Das Update ist kostenlos.',
  Rechnung: 'Die Rechnung kommt mit der Post.',
  Makler: 'Wir verkaufen jedes Haus in der Stadt.',
  Prices: 'The price of an update is ten pounds.',
  Houses: 'We sell every house of the town.',
}

describeInstance('German knowledge', (open) => {
  let instance: TestInstance
  let ada: Person
  let appId: string

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    appId = await agentThatKnows(texts)
  })

  async function agentThatKnows(given: Readonly<Record<string, string>>) {
    const { id } = await createAgent(instance.ctx, ada, { name: 'Helferin' })
    for (const [title, text] of Object.entries(given))
      await addTextSource(instance.ctx, ada.workspaceId, { appId: id, title, text })
    return id
  }

  async function search(query: string, app = appId) {
    const wanted = { appId: app, query, topK: 5 }
    return (await searchKnowledge(instance.ctx, ada.workspaceId, wanted)).items
  }

  test.each([
    ['Preises', 'Preise'],
    ['Was kosten eure Preisen?', 'Preise'],
    ['Rechnungen', 'Rechnung'],
    ['Häuser', 'Makler'],
    ['Wo stehen die Häuser?', 'Makler'],
    ['prices', 'Prices'],
    ['How much are the houses?', 'Houses'],
  ])('%s finds %s first', async (query, title) => {
    expect((await search(query))[0]).toMatchObject({ title })
  })

  test('shares words with English knowledge', async () => {
    const titles = (await search('update')).map(({ title }) => title)
    expect(titles.sort()).toEqual(['Preise', 'Prices'])
  })

  test('shows which words of the question it contains', async () => {
    const [best] = await search('Welche Rechnungen kommen per Post?')
    expect(best).toMatchObject({ title: 'Rechnung', terms: ['rechnung', 'post'] })
  })

  /** As the version before left it: only in the former index, every word with its English stem. */
  async function indexAsBefore(agentId: string) {
    const { db } = instance.ctx
    const chunks = await db.read
      .selectFrom('knowledge_chunks as chunk')
      .innerJoin('knowledge_sources as source', 'source.id', 'chunk.source_id')
      .select(['chunk.id', 'chunk.heading', 'chunk.text', 'source.title'])
      .where('chunk.agent_id', '=', agentId)
      .orderBy('chunk.id')
      .execute()
    const terms = chunks.map(({ id, title, heading, text }) => ({
      id,
      headingTerms: [...analyse(title), ...analyse(heading)],
      bodyTerms: analyse(text),
    }))
    const ids = chunks.map(({ id }) => id)
    await db.write(async (tx) => {
      const collection = await findCollection(tx, agentId)
      await formerIndexes[db.engine].removeChunks(tx, ids)
      await formerIndexes[db.engine].add(tx, collection?.id ?? 0, terms)
      await tx.deleteFrom('knowledge_segments').where('agent_id', '=', agentId).execute()
      await tx
        .updateTable('knowledge_documents')
        .set({ analysis_version: null })
        .where('agent_id', '=', agentId)
        .execute()
    })
  }

  async function start(diesAtUnit?: number) {
    const { ctx } = instance
    await ctx.db.write((tx) => ctx.jobs.enqueue(tx, renewIndex, {}, { key: 'recurring' }))
    await runIngestion(instance, diesAtUnit === undefined ? {} : { diesAtUnit })
  }

  test('from an older version is re-indexed once in the background, wherever that is interrupted', async () => {
    const pages = Array.from({ length: 120 }, (_, n) => `# Blatt ${n}\n\nDer Eimer ${n} ist voll.`)
    const app = await agentThatKnows({ Buch: pages.join('\n\n') })
    const heading = async (query: string) => (await search(query, app))[0]?.heading ?? null
    const [fresh] = await search('Eimern 7', app)
    await indexAsBefore(app)
    expect(await heading('Eimern')).toBeNull()
    expect(await heading('Eimer 7')).toBe('Blatt 7')
    await start(2)
    const some = [7, 49, 50, 99, 100, 119]
    for (const n of some) expect(await heading(`Eimer ${n}`)).toBe(`Blatt ${n}`)
    await start()
    for (const n of some) expect(await heading(`Eimern ${n}`)).toBe(`Blatt ${n}`)
    const [renewed] = await search('Eimern 7', app)
    expect(renewed?.score).toBe(fresh?.score)
  })
})
