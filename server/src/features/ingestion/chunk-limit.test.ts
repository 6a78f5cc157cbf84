import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { deleteSource, getSource } from '#features/knowledge/index.ts'
import { listLimits } from '#features/quotas/index.ts'
import { searchKnowledge } from '#features/retrieval/index.ts'
import { describeSourceError } from '#operations/knowledge/source-error-wording.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { addFileSource, addTextSource } from './index.ts'

const most = 100

function sections(count: number): string {
  return Array.from(
    { length: count },
    (_, n) => `# Section ${n}\n\n${`Filler text number ${n}. `.repeat(20)}`,
  ).join('\n\n')
}

describeInstance('the limit of chunks', (open) => {
  let instance: TestInstance
  let owner: Person
  let appId: string

  beforeAll(async () => {
    instance = await open({ LIMITS: `chunks_per_workspace=${most}` })
    owner = await instance.person()
    appId = (await createAgent(instance.ctx, owner, { name: 'Helper' })).id
  })

  async function addFile(count: number) {
    const bytes = Buffer.from(sections(count))
    const input = { appId, filename: `${count}.md`, bytes: [bytes] }
    const { id } = await addFileSource(instance.ctx, owner.workspaceId, input)
    await runIngestion(instance)
    return await getSource(instance.ctx, owner.workspaceId, id)
  }

  async function used(): Promise<number | undefined> {
    const { items } = await listLimits(instance.ctx, owner, { limit: 100 })
    return items.find(({ limit }) => limit === 'chunks_per_workspace')?.used
  }

  async function chunksOf(sourceId: string): Promise<number> {
    const { count } = await instance.ctx.db.read
      .selectFrom('knowledge_chunks')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('source_id', '=', sourceId)
      .executeTakeFirstOrThrow()
    return count
  }

  test('is checked while a file is read: nothing of the file is found or kept', async () => {
    const whole = await addFile(60)
    expect(whole).toMatchObject({ status: 'ready', chunkCount: 60 })
    const beyond = await addFile(150)
    expect(beyond).toMatchObject({ status: 'failed', chunkCount: 0 })
    expect(beyond.error?.code).toBe('limit_reached')
    expect(describeSourceError(beyond.error!).message).toContain('the limit of 100 chunks')
    expect(await chunksOf(beyond.id)).toBe(0)
    const query = { appId, query: 'Section 149', topK: 50 }
    const { items } = await searchKnowledge(instance.ctx, owner.workspaceId, query)
    expect(new Set(items.map(({ sourceId }) => sourceId))).toEqual(new Set([whole.id]))
    expect(await used()).toBe(60)

    const text = { appId, title: 'Text', text: sections(41) }
    const refused = addTextSource(instance.ctx, owner.workspaceId, text)
    await expect(refused).rejects.toMatchObject({ code: 'limit_reached' })

    await deleteSource(instance.ctx, owner.workspaceId, whole.id)
    expect(await used()).toBe(0)
    expect(await addFile(90)).toMatchObject({ status: 'ready', chunkCount: 90 })
    expect(await used()).toBe(90)
  })
})
