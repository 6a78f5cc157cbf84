import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent, deleteAgent, placeOfOwned } from '#features/agents/index.ts'
import { deleteSource, getSource, listSources } from '#features/knowledge/index.ts'
import { retrievePassages, searchKnowledge } from '#features/retrieval/index.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { addTextSource } from './index.ts'

const unknownId = '01900000-0000-7000-8000-000000000000'

/** A text with enough sections that it takes several units of work. */
function longText(sections: number, word = 'filler'): string {
  return Array.from(
    { length: sections },
    (_, n) => `# Section ${n}\n\n${`${word} text number ${n}. `.repeat(20)}`,
  ).join('\n\n')
}

describeInstance('sources', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  async function agentOf(person: Person, name = 'Helper') {
    const { id, workspaceId, settings } = await createAgent(instance.ctx, person, { name })
    return { id, workspaceId, retrieval: settings.retrieval }
  }

  function add(person: Person, appId: string, title: string, text: string) {
    return addTextSource(instance.ctx, person.workspaceId, { appId, title, text })
  }

  async function titlesFor(person: Person, appId: string, query: string, topK = 10) {
    const { items: found } = await searchKnowledge(instance.ctx, person.workspaceId, {
      appId,
      query,
      topK,
    })
    return found.map(({ title }) => title)
  }

  describe('adding a text', () => {
    test('creates a source that is ready and counted', async () => {
      const agent = await agentOf(ada)
      const text = '# Returns\n\nSend it back within 30 days.\n\n# Shipping\n\nTwo days. 😀'
      const source = await add(ada, agent.id, 'Policy', text)
      expect(source).toMatchObject({
        agentId: agent.id,
        workspaceId: ada.workspaceId,
        kind: 'text',
        title: 'Policy',
        url: null,
        status: 'ready',
        error: null,
        bytes: Buffer.byteLength(text),
        chunkCount: 2,
      })
      expect(source.tokenCount).toBeGreaterThan(5)
      expect(await getSource(instance.ctx, ada.workspaceId, source.id)).toEqual(source)
      const place = await placeOfOwned(instance.ctx, 'knowledge_sources', source.id)
      expect(place).toMatchObject({ workspaceId: ada.workspaceId })
    })

    test('the same text added twice becomes two sources', async () => {
      const agent = await agentOf(ada)
      const first = await add(ada, agent.id, 'Twin', 'Zebras have stripes.')
      const second = await add(ada, agent.id, 'Twin', 'Zebras have stripes.')
      expect(second.id).not.toBe(first.id)
      expect(await titlesFor(ada, agent.id, 'zebra')).toEqual(['Twin', 'Twin'])
    })

    test('a text over the limit is refused with the limit, one at the limit is accepted', async () => {
      const small = await open({ MAX_TEXT_SOURCE_BYTES: '10' })
      const person = await small.person()
      const { id } = await createAgent(small.ctx, person, { name: 'Small' })
      const put = (text: string) =>
        addTextSource(small.ctx, person.workspaceId, { appId: id, title: 'T', text })
      await expect(put('ünicode 11')).rejects.toMatchObject({
        code: 'source_too_large',
        kind: 'too_large',
        facts: { bytes: 11, limit_bytes: 10 },
      })
      expect(await put('ten bytes.')).toMatchObject({ status: 'ready', bytes: 10 })
    })

    test('a text of white space is refused', async () => {
      const agent = await agentOf(ada)
      await expect(add(ada, agent.id, 'Blank', ' \n\t\n\0 ')).rejects.toMatchObject({
        code: 'source_empty',
      })
    })

    test('characters that an engine cannot store are left out of the text', async () => {
      const agent = await agentOf(ada)
      await add(ada, agent.id, 'Nu\0ll', 'walrus\0 and half a pair \ud83d here')
      const {
        items: [found],
      } = await searchKnowledge(instance.ctx, ada.workspaceId, {
        appId: agent.id,
        query: 'walrus',
        topK: 1,
      })
      expect(found).toMatchObject({ title: 'Null', text: 'walrus and half a pair \ufffd here' })
    })

    test('an agent of another workspace, or of none, is not found', async () => {
      const bob = await instance.person()
      const agent = await agentOf(ada)
      const notFound = { code: 'record_not_found' }
      await expect(add(bob, agent.id, 'T', 'text')).rejects.toMatchObject(notFound)
      await expect(add(bob, unknownId, 'T', 'text')).rejects.toMatchObject(notFound)
      await expect(
        searchKnowledge(instance.ctx, bob.workspaceId, { appId: agent.id, query: 'x', topK: 1 }),
      ).rejects.toMatchObject(notFound)
    })

    test('the last source that the plan allows is added once by concurrent requests', async () => {
      const free = await instance.person({ plan: 'free' })
      const agent = await agentOf(free)
      for (let n = 0; n < 9; n++) await add(free, agent.id, `Source ${n}`, `text ${n}`)
      const attempts = await Promise.allSettled(
        Array.from({ length: 4 }, (_, n) => add(free, agent.id, `Racer ${n}`, 'racing text')),
      )
      const refused = attempts.filter(({ status }) => status === 'rejected')
      expect(refused).toHaveLength(3)
      for (const { reason } of refused as PromiseRejectedResult[])
        expect(reason).toMatchObject({
          code: 'plan_limit_reached',
          facts: { resource: 'sourcesPerAgent', allowed: 10 },
        })
      const page = await listSources(instance.ctx, free.workspaceId, agent.id, { limit: 100 })
      expect(page.items).toHaveLength(10)
    })

    test('sources that are added concurrently are all found and counted', async () => {
      const agent = await agentOf(ada)
      await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          add(ada, agent.id, `Note ${n}`, `The otter said ${n} things.`),
        ),
      )
      expect((await titlesFor(ada, agent.id, 'otter', 20)).sort()).toEqual(
        Array.from({ length: 8 }, (_, n) => `Note ${n}`),
      )
      expect(await collectionOf(agent.id)).toMatchObject({ chunk_count: 8 })
    })
  })

  function collectionOf(agentId: string) {
    return instance.ctx.db.read
      .selectFrom('knowledge_collections')
      .selectAll()
      .where('agent_id', '=', agentId)
      .executeTakeFirst()
  }

  async function chunksOf(sourceId: string) {
    const rows = await instance.ctx.db.read
      .selectFrom('knowledge_chunks')
      .select('id')
      .where('source_id', '=', sourceId)
      .execute()
    return rows.length
  }

  describe('listing', () => {
    test('returns every source once, newest first, page by page', async () => {
      const agent = await agentOf(ada)
      for (let n = 0; n < 5; n++) await add(ada, agent.id, `Page ${n}`, 'text')
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await listSources(instance.ctx, ada.workspaceId, agent.id, {
          limit: 2,
          cursor,
        })
        seen.push(...page.items.map(({ title }) => title))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      expect(seen).toEqual(['Page 4', 'Page 3', 'Page 2', 'Page 1', 'Page 0'])
    })
  })

  describe('deleting', () => {
    test('removes a source with all its chunks from searches at once', async () => {
      const agent = await agentOf(ada)
      const doomed = await add(ada, agent.id, 'Doomed', longText(450, 'quokka'))
      await add(ada, agent.id, 'Kept', 'A quokka smiles.')
      expect(await titlesFor(ada, agent.id, 'quokka')).toHaveLength(2)
      await deleteSource(instance.ctx, ada.workspaceId, doomed.id)
      expect(await titlesFor(ada, agent.id, 'quokka')).toEqual(['Kept'])
      expect(await collectionOf(agent.id)).toMatchObject({ chunk_count: 1 })
      expect(await chunksOf(doomed.id)).toBe(0)
      await expect(getSource(instance.ctx, ada.workspaceId, doomed.id)).rejects.toMatchObject({
        code: 'record_not_found',
      })
    })

    test('leaves the remaining sources with the scores that they have without it', async () => {
      const [one, other] = [await agentOf(ada, 'One'), await agentOf(ada, 'Other')]
      const texts = ['a lynx in the snow', 'snow falls on the hill', 'a hill of beans']
      const extra = await add(ada, one.id, 'Extra', longText(300, 'snow'))
      for (const [n, text] of texts.entries())
        for (const agent of [one, other]) await add(ada, agent.id, `Text ${n}`, text)
      await deleteSource(instance.ctx, ada.workspaceId, extra.id)
      const scores = async (agent: typeof one) =>
        (await retrievePassages(instance.ctx, agent, 'snow hill')).passages.map(
          ({ score }) => score,
        )
      expect(await scores(one)).toEqual(await scores(other))
    })

    test('a source of another workspace is not found', async () => {
      const bob = await instance.person()
      const agent = await agentOf(ada)
      const source = await add(ada, agent.id, 'Private', 'text')
      const notFound = { code: 'record_not_found' }
      const { ctx } = instance
      await expect(deleteSource(ctx, bob.workspaceId, source.id)).rejects.toMatchObject(notFound)
      await expect(getSource(ctx, bob.workspaceId, source.id)).rejects.toMatchObject(notFound)
      expect(await chunksOf(source.id)).toBe(1)
    })

    test('the sources of a deleted agent are not found', async () => {
      const agent = await agentOf(ada)
      const source = await add(ada, agent.id, 'Orphan', 'text')
      await deleteAgent(instance.ctx, ada.workspaceId, agent.id)
      expect(await placeOfOwned(instance.ctx, 'knowledge_sources', source.id)).toBeUndefined()
      await expect(getSource(instance.ctx, ada.workspaceId, source.id)).rejects.toMatchObject({
        code: 'record_not_found',
      })
    })
  })
})
