import { expect, test } from 'vitest'
import { getAppAnalytics } from '#features/analytics/index.ts'
import { listConversations } from '#features/conversations/index.ts'
import { pruneEndedRecords } from '#features/pruning/index.ts'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { bodyOf, expectOfficial, responsesOf } from '#test/support/chat/open-responses.ts'

interface Item {
  readonly id: string
  readonly type: string
  readonly content?: readonly { readonly text: string }[]
}
interface Page {
  readonly data: readonly Item[]
  readonly has_more: boolean
  readonly last_id: string | null
}
interface Conversation {
  readonly id: string
  readonly metadata: object
}

const textsOf = ({ data }: Page) => data.map(({ content }) => content?.[0]?.text)
const message = (content: string) => ({ type: 'message', role: 'user', content })

describeChat('conversations', (open) => {
  test('are created, read, changed and deleted', async () => {
    const { call, refused } = responsesOf(await open())
    const request = { items: [message('hello')], metadata: { topic: 'tea' } }
    const created = await bodyOf<Conversation>(await call('POST', '/conversations', request), 200)
    expect(created).toEqual({
      id: expect.stringMatching(/^conv_[0-9a-f]{32}$/),
      object: 'conversation',
      created_at: expect.any(Number),
      metadata: { topic: 'tea' },
    })
    const path = `/conversations/${created.id}`
    expect(await bodyOf(await call('GET', path), 200)).toEqual(created)
    const changed = await bodyOf<Conversation>(await call('POST', path, { metadata: {} }), 200)
    expect(changed).toEqual({ ...created, metadata: {} })
    const kept = await call('POST', path, { metadata: { topic: 'tea' } })
    expect(await refused(await call('POST', path, {}), 400)).toMatchObject({ param: 'metadata' })
    expect(await bodyOf(await call('GET', path), 200)).toEqual(await bodyOf(kept, 200))
    expect(await bodyOf(await call('DELETE', path), 200)).toEqual({
      id: created.id,
      object: 'conversation.deleted',
      deleted: true,
    })
    expect((await call('GET', path)).status).toBe(404)
    expect((await call('GET', `${path}/items`)).status).toBe(404)
  })

  test('hold what responses and chat completions say in them', async () => {
    const service = await open({ model: { reply: 'ok' } })
    const { call, create } = responsesOf(service)
    const { id } = await bodyOf<Conversation>(await call('POST', '/conversations', {}), 200)
    const added = await bodyOf<Page>(
      await call('POST', `/conversations/${id}/items`, { items: [message('one'), message('two')] }),
      200,
    )
    expect(textsOf(added)).toEqual(['one', 'two'])
    const response = await create({ input: 'three', conversation: id })
    expect(response.conversation).toEqual({ id })
    expect(service.model.requests[0]?.body.messages).toEqual(
      ['one', 'two', 'three'].map((content) => ({ role: 'user', content })),
    )
    const items = await bodyOf<Page>(
      await call('GET', `/conversations/${id}/items?order=asc&limit=3`),
      200,
    )
    expect(textsOf(items)).toEqual(['one', 'two', 'three'])
    for (const item of items.data) expectOfficial('ItemField', item)
    const rest = await bodyOf<Page>(
      await call('GET', `/conversations/${id}/items?order=asc&after=${items.last_id}`),
      200,
    )
    expect(rest).toMatchObject({ data: [{ id: response.output[0]?.id }], has_more: false })
    // A conversation that was created stays without its responses.
    await call('DELETE', `/responses/${response.id}`)
    expect((await call('GET', `/conversations/${id}`)).status).toBe(200)
  })

  test('an item is read and deleted, and the model does not read it again', async () => {
    const service = await open({ model: { reply: 'ok' } })
    const { call, create } = responsesOf(service)
    const created = await call('POST', '/conversations', { items: [message('a'), message('b')] })
    const { id } = await bodyOf<Conversation>(created, 200)
    const path = `/conversations/${id}/items`
    const { data } = await bodyOf<Page>(await call('GET', `${path}?order=asc`), 200)
    const [first] = data
    expect(await bodyOf(await call('GET', `${path}/${first?.id}`), 200)).toEqual(first)
    await bodyOf(await call('DELETE', `${path}/${first?.id}`), 200)
    expect((await call('GET', `${path}/${first?.id}`)).status).toBe(404)
    expect(textsOf(await bodyOf<Page>(await call('GET', path), 200))).toEqual(['b'])
    await create({ input: 'c', conversation: id })
    expect(service.model.requests[0]?.body.messages).toEqual(
      ['b', 'c'].map((content) => ({ role: 'user', content })),
    )
    const stored = await service.ctx.db.read.selectFrom('chat_messages').select('content').execute()
    expect(stored.map(({ content }) => content)).not.toContain('a')
    // A deleted item did not fail.
    const { workspaceId } = service.owner
    const analytics = await getAppAnalytics(service.ctx, workspaceId, { appId: service.agent.id })
    expect(analytics.totals).toMatchObject({ messages: 4, errors: 0 })
  })

  test('items that are named by their ids are bounded in bytes', async () => {
    const environment = { MAX_BODY_BYTES: '3000' }
    const service = await open({ model: { reply: 'a'.repeat(1000) }, environment })
    const { call, create, post, refused } = responsesOf(service)
    const { output } = await create({ input: 'one' })
    const reference = { type: 'item_reference', id: output[0]?.id }
    const few = { items: Array.from({ length: 3 }, () => reference) }
    expect((await call('POST', '/conversations', few)).status).toBe(200)
    const many = Array.from({ length: 4 }, () => reference)
    const requests = [
      await call('POST', '/conversations', { items: many }),
      await post({ input: many }),
      await post({ input: many, background: true }),
    ]
    for (const response of requests)
      expect(await refused(response, 400)).toMatchObject({
        param: expect.stringMatching(/^(items|input)\[3\]\.id$/),
      })
  })

  test('are listed for people once they have a message', async () => {
    const service = await open()
    const { call } = responsesOf(service)
    await bodyOf(await call('POST', '/conversations', {}), 200)
    const spoken = await call('POST', '/conversations', { items: [message('hello')] })
    await bodyOf(spoken, 200)
    const { ctx, owner, agent } = service
    const { items } = await listConversations(ctx, owner.workspaceId, agent.id, { limit: 10 })
    expect(items.map(({ question }) => question)).toEqual(['hello'])
  })

  test('a page of items is bounded in bytes, and the rest follows', async () => {
    const service = await open({ environment: { MAX_ITEMS_PAGE_BYTES: '1000' } })
    const { call } = responsesOf(service)
    const long = ['a', 'b', 'c'].map((letter) => letter.repeat(600))
    const created = await call('POST', '/conversations', { items: long.map(message) })
    const { id } = await bodyOf<Conversation>(created, 200)
    const seen: (string | undefined)[] = []
    for (let after = '', pages = 0; pages < 3; pages += 1) {
      const path = `/conversations/${id}/items?order=asc&limit=100${after}`
      const page = await bodyOf<Page>(await call('GET', path), 200)
      expect(page.has_more).toBe(pages < 2)
      seen.push(...textsOf(page))
      after = `&after=${page.last_id}`
    }
    expect(seen).toEqual(long)
  })

  test('of another agent are unknown, and wrong requests are named', async () => {
    const service = await open()
    const { call, refused } = responsesOf(service)
    const created = await call('POST', '/conversations', { items: [message('a secret')] })
    const { id } = await bodyOf<Conversation>(created, 200)
    const { data } = await bodyOf<Page>(await call('GET', `/conversations/${id}/items`), 200)
    const other = await service.makeAgent({ name: 'Other' })
    const stranger = responsesOf({ ...service, agent: other, key: other.key })
    const item = `/conversations/${id}/items/${data[0]?.id}`
    const requests = [
      ['GET', `/conversations/${id}`],
      ['POST', `/conversations/${id}`, { metadata: {} }],
      ['DELETE', `/conversations/${id}`],
      ['GET', `/conversations/${id}/items`],
      ['POST', `/conversations/${id}/items`, { items: [message('hello')] }],
      ['GET', item],
      ['DELETE', item],
    ] as const
    for (const [method, path, body] of requests) {
      const error = await stranger.refused(await stranger.call(method, path, body), 404)
      expect(error).toMatchObject({ type: 'not_found', code: 'conversation_unknown' })
    }
    expect((await call('GET', item)).status).toBe(200)
    const wrong = [
      [{ metadata: { a: 1 } }, 'metadata'],
      [{ items: 'hello' }, 'items'],
      [{ items: [{ type: 'message', role: 'critic', content: '' }] }, 'items[0].role'],
    ] as const
    for (const [body, param] of wrong)
      expect(await refused(await call('POST', '/conversations', body), 400)).toMatchObject({
        param,
      })
    expect((await call('POST', '/conversations', { title: 'x' })).status).toBe(400)
  })

  test('a message larger than a page follows the item before it', async () => {
    const service = await open({ environment: { MAX_ITEMS_PAGE_BYTES: '1000' } })
    const { call } = responsesOf(service)
    const long = 'b'.repeat(2000)
    const created = await call('POST', '/conversations', { items: ['a', long].map(message) })
    const { id } = await bodyOf<Conversation>(created, 200)
    const path = `/conversations/${id}/items?order=asc`
    const first = await bodyOf<Page>(await call('GET', `${path}&limit=1`), 200)
    const rest = await bodyOf<Page>(await call('GET', `${path}&after=${first.last_id}`), 200)
    expect([textsOf(rest), rest.has_more]).toEqual([[long], false])
  })

  test('only those of the API can be named, not those of chat pages and the dashboard', async () => {
    const service = await open()
    const { call, create, post, refused } = responsesOf(service)
    const { conversation } = await create({ input: 'hello' })
    const path = `/conversations/${conversation?.id}`
    expect((await call('GET', path)).status).toBe(200)
    await service.ctx.db.write((tx) =>
      tx.updateTable('chat_sessions').set({ source: 'dashboard' }).execute(),
    )
    const refusals = [
      await call('GET', path),
      await call('GET', `${path}/items`),
      await post({ input: 'hello', conversation: conversation?.id }),
      await call('DELETE', path),
    ]
    for (const response of refusals)
      expect(await refused(response, 404)).toMatchObject({ code: 'conversation_unknown' })
    expect(
      await service.ctx.db.read.selectFrom('chat_messages').select('id').execute(),
    ).toHaveLength(2)
  })

  test('the input of a response without an answer ends where the next response begins', async () => {
    const service = await open()
    const { call, create } = responsesOf(service)
    const first = await create({ input: 'one' })
    await create({ input: 'two', previous_response_id: first.id })
    const { db } = service.ctx
    await db.write((tx) => tx.deleteFrom('chat_messages').where('seq', '=', 2).execute())
    const path = `/responses/${first.id}/input_items`
    expect(textsOf(await bodyOf<Page>(await call('GET', path), 200))).toEqual(['one'])
  })

  test('without messages are deleted after a day, unless a response waits in them', async () => {
    const service = await open()
    const { call, create } = responsesOf(service)
    const empty = await bodyOf<Conversation>(await call('POST', '/conversations', {}), 200)
    const spoken = await call('POST', '/conversations', { items: [message('hello')] })
    const { id: kept } = await bodyOf<Conversation>(spoken, 200)
    const waiting = await create({ input: 'later', background: true })
    const statuses = async () =>
      await Promise.all(
        [empty.id, kept, waiting.conversation?.id].map(
          async (id) => (await call('GET', `/conversations/${id}`)).status,
        ),
      )
    const signal = new AbortController().signal
    const prune = () =>
      pruneEndedRecords.run(service.ctx, {}, { id: 'x', attempt: 1, isLast: false, signal })
    service.advance(86_400_000)
    await prune()
    expect(await statuses()).toEqual([200, 200, 200])
    service.advance(1)
    await prune()
    expect(await statuses()).toEqual([404, 200, 200])
    await call('POST', `/responses/${waiting.id}/cancel`)
    await prune()
    expect(await statuses()).toEqual([404, 200, 404])
    const left = await service.ctx.db.read.selectFrom('chat_responses').select('id').execute()
    expect(left).toEqual([])
  })

  test('rows that an older version left of a deleted one are swept', async () => {
    const service = await open()
    const { call, create } = responsesOf(service)
    const lost = await create({ input: 'one' })
    const kept = await create({ input: 'two' })
    await bodyOf(
      await call('POST', `/conversations/${lost.conversation?.id}`, { metadata: {} }),
      200,
    )
    const { db } = service.ctx
    const { session_id: session } = await db.read
      .selectFrom('chat_responses')
      .select('session_id')
      .orderBy('id')
      .executeTakeFirstOrThrow()
    await db.write((tx) => tx.deleteFrom('chat_sessions').where('id', '=', session).execute())
    const signal = new AbortController().signal
    const run = { id: 'x', attempt: 1, isLast: false, signal }
    await pruneEndedRecords.run(service.ctx, {}, run)
    const left = await db.read.selectFrom('chat_responses').select('session_id').execute()
    expect(left.map((row) => `conv_${row.session_id.replaceAll('-', '')}`)).toEqual([
      kept.conversation?.id,
    ])
    expect(await db.read.selectFrom('conversation_metadata').selectAll().execute()).toEqual([])
  })
})
