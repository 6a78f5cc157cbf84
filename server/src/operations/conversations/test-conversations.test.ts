import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { deleteSession, rollUp } from '#features/analytics/index.ts'
import { storeSession } from '#test/support/chat/chat-history.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

const hours = '11111111-0000-4000-8000-000000000001'
const house = '22222222-0000-4000-8000-000000000002'

describeInstance('test conversations of the dashboard', (open) => {
  let instance: TestInstance
  let ada: Person
  let app_id: string

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  const call = (name: string, input: object = {}) =>
    runOperation(instance.ctx, actorOf(ada), findOperation(name)!, { app_id, ...input })

  /** @returns the id of the conversation */
  async function ask(source: string, question: string, cited: readonly string[] = []) {
    const at = instance.ctx.clock.now() - 5000
    const citations = cited.map((source_id) => ({ source_id, passage: 'p' }))
    const answer = { role: 'assistant', content: 'Well.', prompt_tokens: 5 } as const
    const { id } = await storeSession(instance.ctx.db, {
      workspaceId: ada.workspaceId,
      agentId: app_id,
      source,
      messages: [
        { role: 'user', at, content: question },
        { ...answer, at: at + 1, citations_json: JSON.stringify(citations) },
      ],
    })
    return id
  }

  async function count() {
    instance.advance(10 * 60_000)
    await rollUp(instance.ctx)
  }

  async function shown(input: object = {}) {
    const figures = await call('get_app_analytics', input)
    const unanswered = await call('get_unanswered_questions', input)
    const {
      sessions,
      prompt_tokens,
      unanswered: missing,
    } = figures.totals as Record<string, number>
    return {
      totals: [sessions, prompt_tokens, missing],
      asked: (figures.top_questions as { question: string; conversations: number }[]).map(
        ({ question, conversations }) => `${question}: ${conversations}`,
      ),
      cited: (figures.top_sources as { source_id: string; answers: number }[]).map(
        ({ source_id, answers }) => `${source_id}: ${answers}`,
      ),
      missing: (unanswered.items as { question: string }[]).map(({ question }) => question),
    }
  }

  test('count only when they are asked for, before and after they are rolled up', async () => {
    app_id = (await createAgent(instance.ctx, ada, { name: 'Counted' })).id
    await ask('api', 'When do you open?', [hours])
    await ask('dashboard', 'When do you open?', [hours, house])
    await ask('dashboard', 'Is this a test?')
    await ask('page', 'Where is parking?')
    const real = {
      totals: [2, 10, 1],
      asked: ['when do you open: 1', 'where is parking: 1'],
      cited: [`${hours}: 1`],
      missing: ['Where is parking?'],
    }
    const all = {
      totals: [4, 20, 2],
      asked: ['when do you open: 2', 'is this a test: 1', 'where is parking: 1'],
      cited: [`${hours}: 2`, `${house}: 1`],
      missing: ['Where is parking?', 'Is this a test?'],
    }
    for (let round = 0; round < 2; round += 1) {
      expect(await shown()).toEqual(real)
      expect(await shown({ include_tests: true })).toMatchObject({
        ...all,
        missing: expect.arrayContaining(all.missing) as unknown,
      })
      // A request that names their channel asks for them.
      const { totals, top_questions } = await call('get_app_analytics', { source: 'dashboard' })
      expect(totals).toMatchObject({ sessions: 2, prompt_tokens: 10 })
      expect(top_questions).toMatchObject([{ conversations: 1 }, { conversations: 1 }])
      await count()
    }
  })

  test('leave the lists of questions when they are deleted, and others stay', async () => {
    app_id = (await createAgent(instance.ctx, ada, { name: 'Deleted' })).id
    const tested = await ask('dashboard', 'When do you open?')
    await ask('api', 'When do you open?')
    await count()
    const place = { workspaceId: ada.workspaceId, agentId: app_id }
    await deleteSession(instance.ctx.db, place, tested)
    expect((await shown()).asked).toEqual(['when do you open: 1'])
    expect((await shown({ include_tests: true })).asked).toEqual(['when do you open: 1'])
  })
})
