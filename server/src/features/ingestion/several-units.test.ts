import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { deleteSource, listSources } from '#features/knowledge/index.ts'
import { retrievePassages, searchKnowledge } from '#features/retrieval/index.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { addFileSource, addTextSource, failInterruptedSources, refreshSource } from './index.ts'

const sections = 900

/** Enough sections that adding them takes several units of work. Each contains the word. */
function longText(word: string): string {
  const body = `${word} and more. `.repeat(20)
  return Array.from({ length: sections }, (_, n) => `# Section ${n}\n\n${body}`).join('\n\n')
}

describeInstance('a text of several units of work', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  async function newAgent() {
    const { id, workspaceId, settings } = await createAgent(instance.ctx, ada, { name: 'Helper' })
    return { id, workspaceId, retrieval: settings.retrieval }
  }

  function add(appId: string, title: string, text: string) {
    return addTextSource(instance.ctx, ada.workspaceId, { appId, title, text })
  }

  async function titlesFor(appId: string, query: string) {
    const search = { appId, query, topK: 10 }
    const { items: found } = await searchKnowledge(instance.ctx, ada.workspaceId, search)
    return found.map(({ title }) => title)
  }

  async function countRows(table: 'knowledge_chunks' | 'knowledge_sources', agentId: string) {
    const rows = await instance.ctx.db.read
      .selectFrom(table)
      .select('id')
      .where('agent_id', '=', agentId)
      .execute()
    return rows.length
  }

  test('is added completely and found from its first chunk to its last', async () => {
    const agent = await newAgent()
    const text = `# Start\n\nThe okapi wakes.\n\n${longText('filler')}\n\n# End\n\nThe pangolin sleeps.`
    const source = await add(agent.id, 'Long', text)
    expect(source).toMatchObject({ status: 'ready', chunkCount: sections + 2 })
    const [first] = (await retrievePassages(instance.ctx, agent, 'okapi')).passages
    const [last] = (await retrievePassages(instance.ctx, agent, 'pangolin')).passages
    expect(first).toMatchObject({ heading: 'Start', text: 'The okapi wakes.' })
    expect(last).toMatchObject({ heading: 'End', text: 'The pangolin sleeps.' })
  })

  test('is not found before its last unit', async () => {
    const agent = await newAgent()
    await add(agent.id, 'Short', 'One aardvark.')
    const adding = add(agent.id, 'Long', longText('aardvark'))
    const seenWhileProcessing: string[][] = []
    for (;;) {
      const titles = await titlesFor(agent.id, 'aardvark')
      const { items } = await listSources(instance.ctx, ada.workspaceId, agent.id, { limit: 2 })
      if (items[0]?.title === 'Long' && items[0].status === 'ready') break
      seenWhileProcessing.push(titles)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await adding
    expect(seenWhileProcessing.length).toBeGreaterThan(1)
    for (const titles of seenWhileProcessing) expect(titles).toEqual(['Short'])
    expect((await titlesFor(agent.id, 'aardvark')).sort()).toEqual(['Long', 'Short'])
  })

  test('that is deleted while it is being added leaves nothing behind', async () => {
    const agent = await newAgent()
    const adding = Promise.allSettled([add(agent.id, 'Doomed', longText('dodo'))])
    let source
    while (source === undefined) {
      await new Promise((resolve) => setImmediate(resolve))
      const page = await listSources(instance.ctx, ada.workspaceId, agent.id, { limit: 1 })
      source = page.items[0]
    }
    await deleteSource(instance.ctx, ada.workspaceId, source.id)
    const [added] = await adding
    // Deleting may have had to wait for the last unit: then adding succeeded before it.
    if (added.status === 'rejected')
      expect(added.reason).toMatchObject({ code: 'record_not_found' })
    expect(await titlesFor(agent.id, 'dodo')).toEqual([])
    expect(await countRows('knowledge_chunks', agent.id)).toBe(0)
    expect(await countRows('knowledge_sources', agent.id)).toBe(0)
    const collection = await instance.ctx.db.read
      .selectFrom('knowledge_collections')
      .selectAll()
      .where('agent_id', '=', agent.id)
      .executeTakeFirst()
    expect(collection).toMatchObject({ chunk_count: 0, term_count: 0 })
  })

  test('that is deleted in parts is not found from the first part on, and can be deleted again', async () => {
    const agent = await newAgent()
    const kept = await add(agent.id, 'Kept', 'One quagga.')
    const { id } = await add(agent.id, 'Long', longText('quagga'))
    let units = 0
    const dying = failingAt(instance.ctx, () => (units += 1) > 2)
    await expect(deleteSource(dying, ada.workspaceId, id)).rejects.toThrow('no room')
    expect(await titlesFor(agent.id, 'quagga')).toEqual(['Kept'])
    const left = await countRows('knowledge_chunks', agent.id)
    expect([left > 1, left < sections]).toEqual([true, true])
    const { items } = await listSources(instance.ctx, ada.workspaceId, agent.id, { limit: 1 })
    expect(items).toMatchObject([{ id, status: 'failed', chunkCount: 0 }])
    await deleteSource(instance.ctx, ada.workspaceId, id)
    expect(await countRows('knowledge_chunks', agent.id)).toBe(1)
    expect(await countRows('knowledge_sources', agent.id)).toBe(1)
    const collection = await instance.ctx.db.read
      .selectFrom('knowledge_collections')
      .select('chunk_count')
      .where('agent_id', '=', agent.id)
      .executeTakeFirst()
    expect(collection).toMatchObject({ chunk_count: 1 })
    await deleteSource(instance.ctx, ada.workspaceId, kept.id)
  })

  test('that cannot be finished is removed again', async () => {
    const agent = await newAgent()
    const ctx = failingAt(instance.ctx, (unit) => unit === 3)
    const input = { appId: agent.id, title: 'Half', text: longText('moa') }
    await expect(addTextSource(ctx, ada.workspaceId, input)).rejects.toThrow('no room')
    expect(await countRows('knowledge_sources', agent.id)).toBe(0)
    expect(await countRows('knowledge_chunks', agent.id)).toBe(0)
    expect(await titlesFor(agent.id, 'moa')).toEqual([])
  })

  test('whose process died is read by a job after a minute of silence, each chunk once', async () => {
    const agent = await newAgent()
    // A dead process writes nothing, so it does not remove the source either.
    const dying = failingAt(instance.ctx, (unit) => unit > 2)
    const input = { appId: agent.id, title: 'Half', text: longText('mammoth') }
    await expect(addTextSource(dying, ada.workspaceId, input)).rejects.toThrow('no room')
    expect(await countRows('knowledge_chunks', agent.id)).toBeGreaterThan(0)
    expect(await titlesFor(agent.id, 'mammoth')).toEqual([])
    expect(await failInterruptedSources(instance.ctx)).toBe(0)
    instance.advance(61_000)
    expect(await failInterruptedSources(instance.ctx)).toBe(0)
    expect(await countRows('knowledge_chunks', agent.id)).toBe(0)
    await runIngestion(instance)
    const { items } = await listSources(instance.ctx, ada.workspaceId, agent.id, { limit: 10 })
    expect(items).toMatchObject([{ title: 'Half', status: 'ready', chunkCount: sections }])
    expect(await countRows('knowledge_chunks', agent.id)).toBe(sections)
    expect(await titlesFor(agent.id, 'mammoth')).toEqual(['Half'])
  })

  test('that a job failed to read is read again when it is refreshed, and one that is read is not', async () => {
    const agent = await newAgent()
    const dying = failingAt(instance.ctx, (unit) => unit > 2)
    const input = { appId: agent.id, title: 'Half', text: longText('dugong') }
    await expect(addTextSource(dying, ada.workspaceId, input)).rejects.toThrow('no room')
    instance.advance(61_000)
    await failInterruptedSources(instance.ctx)
    for (let run = 0; run < 6; run++) await runIngestion(instance, { diesAtUnit: 2 })
    await runIngestion(instance)
    const { items } = await listSources(instance.ctx, ada.workspaceId, agent.id, { limit: 1 })
    expect(items).toMatchObject([{ status: 'failed', error: { code: 'interrupted' } }])
    const id = items[0]?.id ?? ''
    const refresh = () => refreshSource(instance.ctx, ada.workspaceId, id)
    expect(await refresh()).toMatchObject({ status: 'queued', stage: null })
    await runIngestion(instance)
    expect(await titlesFor(agent.id, 'dugong')).toEqual(['Half'])
    expect(await refresh()).toMatchObject({ status: 'ready', error: null, chunkCount: sections })
  })

  test('a file that was stored in part when its process died is failed, and can be added again', async () => {
    const agent = await newAgent()
    const dying = failingAt(instance.ctx, (unit) => unit > 2)
    const bytes = [Buffer.from('gaur '.repeat(120_000))]
    const input = { appId: agent.id, filename: 'half.txt', bytes }
    await expect(addFileSource(dying, ada.workspaceId, input)).rejects.toThrow('no room')
    instance.advance(61_000)
    expect(await failInterruptedSources(instance.ctx)).toBe(1)
    expect(await failInterruptedSources(instance.ctx)).toBe(0)
    const { items } = await listSources(instance.ctx, ada.workspaceId, agent.id, { limit: 10 })
    // There is nothing to read, so a refresh does not change it.
    expect(await refreshSource(instance.ctx, ada.workspaceId, items[0]?.id ?? '')).toEqual(items[0])
    expect(items).toMatchObject([
      { title: 'half.txt', status: 'failed', error: { code: 'interrupted' } },
    ])
    expect(await addFileSource(instance.ctx, ada.workspaceId, input)).toMatchObject({
      status: 'queued',
    })
  })
})

/** The same context, but the chosen units of work fail. They are counted from 1. */
function failingAt(
  ctx: TestInstance['ctx'],
  fails: (unit: number) => boolean,
): TestInstance['ctx'] {
  let units = 0
  const { db } = ctx
  const write: typeof db.write = async (unit) => {
    units += 1
    if (fails(units)) throw new Error('no room')
    return await db.write(unit)
  }
  return { ...ctx, db: { ...db, write } }
}
