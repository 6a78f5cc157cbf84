import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

describeInstance('the chunks of a document', (open) => {
  let instance: TestInstance
  let ada: Person
  let appId: string

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
    appId = (await createAgent(instance.ctx, ada, { name: 'Helper' })).id
  })

  const call = (name: string, input: unknown, person = ada) =>
    runOperation(instance.ctx, actorOf(person), findOperation(name)!, input)

  async function add(text: string) {
    const input = { app_id: appId, kind: 'text', title: 'Guide', text }
    const { id: source_id } = await call('add_knowledge_source', input)
    const { items } = (await call('list_source_documents', { source_id })) as {
      items: { id: string }[]
    } // A list.
    return { source_id, document_id: items[0]?.id }
  }

  test('are listed page by page in the order of the text', async () => {
    const guide = await add('# One\n\nFirst.\n\n# Two\n\nSecond.\n\n# Three\n\nThird.')
    const first = await call('list_source_chunks', { ...guide, limit: 2 })
    expect(first).toMatchObject({
      items: [
        { ordinal: 0, heading: 'One', page: null, text: 'First.' },
        { ordinal: 1, heading: 'Two', page: null, text: 'Second.' },
      ],
    })
    const second = await call('list_source_chunks', { ...guide, from: 1, limit: 1 })
    expect(second).toMatchObject({ items: [{ ordinal: 1 }] })
    const rest = { ...guide, limit: 2, cursor: first['next_cursor'] }
    expect(await call('list_source_chunks', rest)).toMatchObject({
      items: [{ ordinal: 2, heading: 'Three', text: 'Third.' }],
      next_cursor: null,
    })
  })

  test('are shown neither with another source nor to a person of another workspace', async () => {
    const guide = await add('Open from 9 to 5.')
    const other = await add('Closed on Sundays.')
    const missing = { code: 'record_not_found' }
    const mixed = { ...guide, source_id: other.source_id }
    await expect(call('list_source_chunks', mixed)).rejects.toMatchObject(missing)
    const eve = await instance.person()
    await expect(call('list_source_chunks', guide, eve)).rejects.toMatchObject(missing)
  })
})
