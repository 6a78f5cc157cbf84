import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { storeSession } from '#test/support/chat/chat-history.ts'
import { actorOf, describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { readUnanswered } from './unanswered-store.ts'

describeInstance('conversations with unanswered questions', (open) => {
  let instance: TestInstance
  let agentId: string
  let now: number

  beforeAll(async () => {
    instance = await open()
    const ada = await instance.person()
    const agent = await createAgent(instance.ctx, actorOf(ada), {
      name: 'A',
      model: 'local/extractive',
    })
    agentId = agent.id
    now = instance.ctx.clock.now()
    for (let n = 0; n < 40; n++) {
      const at = now - n * 1000
      const source = ['api', 'dashboard', 'page'][n % 3] ?? ''
      const citations_json = n % 4 === 0 ? '[]' : '[{"source_id":"s","passage":"p"}]'
      const answer = {
        role: 'assistant',
        content: 'Well.',
        model: `m/${n % 2}`,
        citations_json,
      } as const
      const messages = [
        { role: 'user', at, content: `Question ${n}` } as const,
        { ...answer, at: at + 1 },
      ]
      await storeSession(instance.ctx.db, {
        workspaceId: ada.workspaceId,
        agentId,
        source,
        messages,
      })
    }
  })

  const questions = async (wanted: { since: number; includeTests: boolean; mostOfFew: number }) => {
    const { db } = instance.ctx
    const rows = await readUnanswered(db.report, db.engine, { agentId, ...wanted })
    return rows.map(({ question }) => question)
  }

  test.each([
    ['few, with tests', { includeTests: true, mostOfFew: 100 }],
    ['many, with tests', { includeTests: true, mostOfFew: 3 }],
    ['few, without tests', { includeTests: false, mostOfFew: 100 }],
    ['many, without tests', { includeTests: false, mostOfFew: 3 }],
  ])('are found among %s', async (_among, wanted) => {
    const expected = Array.from({ length: 40 }, (_, n) => n)
      .filter((n) => n % 4 === 0 && n <= 24 && (wanted.includeTests || n % 3 !== 1))
      .map((n) => `Question ${n}`)
    expect(expected.length).toBeGreaterThan(3)
    expect(await questions({ ...wanted, since: now - 24_000 })).toEqual(expected)
  })

  test('that began too early are not found', async () => {
    expect(await questions({ since: now + 1, includeTests: true, mostOfFew: 100 })).toEqual([])
  })
})
