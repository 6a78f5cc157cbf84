import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { storeSession } from '#test/support/chat/chat-history.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

describeInstance('an answer that an editor writes for a question', (open) => {
  let instance: TestInstance
  let ada: Person
  let app_id: string

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  const call = (name: string, input: unknown) =>
    runOperation(instance.ctx, actorOf(ada), findOperation(name)!, input)

  async function makeAgent() {
    app_id = (await createAgent(instance.ctx, ada, { name: 'Helper' })).id
  }

  const add = (kind: string, title: string, text: string) =>
    call('add_knowledge_source', { app_id, kind, title, text })

  async function titlesFor(query: string) {
    const { items } = await call('search_knowledge', { app_id, query })
    return (items as { title: string }[]).map(({ title }) => title) // A list.
  }

  const asks = async (question: string, at: number) =>
    await storeSession(instance.ctx.db, {
      workspaceId: ada.workspaceId,
      agentId: app_id,
      messages: [
        { role: 'user', at, content: question },
        { role: 'assistant', at: at + 1, content: 'I do not know.', citations_json: '[]' },
      ],
    })
  const listed = () => call('get_unanswered_questions', { app_id })

  test('outranks texts that fit the question better, but not on another question', async () => {
    await makeAgent()
    const returns = 'Refunds and returns: send parcels with refunds within thirty days.'
    await add('text', 'Refunds', returns)
    await add('text', 'Gift cards', 'Gift cards cannot be sent back, and have no refunds.')
    await add('text', 'Opening', 'We open at nine and close at five.')
    expect((await titlesFor('refunds of parcels'))[0]).toBe('Refunds')
    const answer = await add('answer', 'Do I get my money back?', 'Yes: parcels have refunds.')
    expect(answer).toMatchObject({ kind: 'answer', status: 'ready' })
    expect((await titlesFor('refunds of parcels'))[0]).toBe('Do I get my money back?')
    expect((await titlesFor('when do you open'))[0]).toBe('Opening')
    const { items } = await call('list_knowledge_sources', { app_id })
    expect((items as { kind: string }[]).map(({ kind }) => kind)).toContain('answer')
  })

  test('stays one in a copy of the agent and in its exported document', async () => {
    await makeAgent()
    await add('answer', 'Do you ship?', 'Yes, everywhere.')
    const { document } = await call('export_app', { app_id, include_knowledge: true })
    expect(document).toMatchObject({ knowledge: [{ kind: 'text', answer: true }] })
    const copy = await call('import_app', { document })
    const copied = await call('list_knowledge_sources', { app_id: copy.id })
    expect(copied).toMatchObject({ items: [{ kind: 'answer', title: 'Do you ship?' }] })
  })

  test('removes its question, grouped by its words, from the list', async () => {
    await makeAgent()
    const now = instance.ctx.clock.now()
    await asks('Is parking free?', now - 5000)
    await asks('parking is FREE', now - 4000)
    await asks('Do you ship?', now - 3000)
    await asks('Is parking free?', now - 40 * 24 * 3600 * 1000)
    expect(await listed()).toMatchObject({
      items: [
        { question: 'parking is FREE', count: 2, others: ['Is parking free?'] },
        { question: 'Do you ship?', count: 1, others: [] },
      ],
    })
    await add('answer', 'Is parking free?', 'Yes, behind the building.')
    expect(await listed()).toMatchObject({ items: [{ question: 'Do you ship?' }] })
  })
  test('removes questions like its own until somebody asks one again', async () => {
    await makeAgent()
    const now = instance.ctx.clock.now()
    await asks('Do you ship to Norway?', now - 5000)
    await asks('Is shipping to Norway possible?', now - 4000)
    await asks('Can you ship my order to Norway', now - 3000)
    await asks('Do you ship to Spain?', now - 2000)
    expect(await listed()).toMatchObject({
      items: [
        {
          question: 'Can you ship my order to Norway',
          count: 3,
          others: expect.toSatisfy((others: string[]) => others.length === 2),
        },
        { question: 'Do you ship to Spain?', count: 1 },
      ],
    })
    await add('answer', 'Do you ship to Norway?', 'Yes, within a week.')
    expect(await listed()).toMatchObject({ items: [{ question: 'Do you ship to Spain?' }] })
    instance.advance(60_000)
    await asks('How much is shipping to Norway?', instance.ctx.clock.now() - 1000)
    const { items } = await listed()
    expect(items).toContainEqual(
      expect.objectContaining({ question: 'How much is shipping to Norway?', count: 1 }),
    )
  })
})
