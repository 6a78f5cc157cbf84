import { beforeAll, expect, test } from 'vitest'
import { getAppAnalytics } from '#features/analytics/index.ts'
import { newId } from '#kernel/ids.ts'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'

interface Answered {
  readonly id: string
  readonly chatSessionId: string
}

describeChat('POST /api/v1/chat/feedback', (open) => {
  let service: ChatService

  beforeAll(async () => {
    service = await open()
  })

  async function answered(more: Readonly<Record<string, unknown>> = {}): Promise<Answered> {
    const response = await service.say('How much?', more)
    expect(response.status).toBe(200)
    return (await response.json()) as Answered // Interface: Chat response.
  }

  async function rate(body: unknown, key = service.key) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await service.app.request('/api/v1/chat/feedback', request)
    return { status: response.status, body: await response.json(), response }
  }

  async function ratings() {
    const { ctx, owner, agent } = service
    const { totals } = await getAppAnalytics(ctx, owner.workspaceId, { appId: agent.id })
    return [totals.ratings_up, totals.ratings_down]
  }

  test('accepts the id of an answer, and the latest rating applies', async () => {
    const { id, chatSessionId } = await answered()
    const before = await ratings()
    const up = await rate({ chatSessionId, messageId: id, rating: 'up', comment: 'Quick!' })
    expect(up.status).toBe(200)
    expect(up.body).toEqual({ chatSessionId, messageId: id, rating: 'up', comment: 'Quick!' })
    expect(await ratings()).toEqual([before[0]! + 1, before[1]])
    const down = await rate({ chatSessionId, messageId: id, rating: -1 })
    expect(down.body).toEqual({ chatSessionId, messageId: id, rating: 'down', comment: null })
    expect(await ratings()).toEqual([before[0], before[1]! + 1])
    await rate({ chatSessionId, messageId: id, rating: null })
    expect(await ratings()).toEqual(before)
  })

  test('without an id means the last answer of the session', async () => {
    const { chatSessionId } = await answered()
    const second = await answered({ chatSessionId })
    expect((await rate({ chatSessionId, rating: 1 })).body).toMatchObject({ messageId: second.id })
  })

  test('two ratings at once leave one', async () => {
    const { id, chatSessionId } = await answered()
    const before = await ratings()
    const both = ['up', 'up', 'up', 'up'].map((rating) =>
      rate({ chatSessionId, messageId: id, rating }),
    )
    for (const { status } of await Promise.all(both)) expect(status).toBe(200)
    expect(await ratings()).toEqual([before[0]! + 1, before[1]])
  })

  test('another agent’s session gets the error of an unknown one', async () => {
    const { id, chatSessionId } = await answered()
    const other = await service.makeAgent({ name: 'Other' })
    const stranger = await service.makeAgent({ name: 'Far', owner: await service.person() })
    const unknown = { status: 404, body: { error: 'Unknown chat session or answer' } }
    for (const key of [other.key, stranger.key])
      expect(await rate({ chatSessionId, messageId: id, rating: 'up' }, key)).toMatchObject(unknown)
    expect(await rate({ chatSessionId: newId(), rating: 'up' })).toMatchObject(unknown)
    const elsewhere = await answered()
    const mixed = { chatSessionId, messageId: elsewhere.id, rating: 'up' }
    expect(await rate(mixed)).toMatchObject(unknown)
  })

  test.each([
    [{ rating: 'up' }, '`chatSessionId` is required'],
    [{ chatSessionId: 'x', rating: 'up' }, '`chatSessionId` must be a UUID'],
    [{ chatSessionId: newId() }, '`rating` must be "up", "down" or null'],
    [{ chatSessionId: newId(), rating: 2 }, '`rating` must be "up", "down" or null'],
    [
      { chatSessionId: newId(), messageId: 'no', rating: 1 },
      '`messageId` must be the id of an answer',
    ],
    [{ chatSessionId: newId(), rating: 1, comment: 7 }, '`comment` must be a string'],
    [
      { chatSessionId: newId(), rating: 1, comment: 'x'.repeat(4001) },
      '`comment` must have at most 4000 characters',
    ],
  ])('%j is refused', async (body, error) => {
    expect(await rate(body)).toMatchObject({ status: 400, body: { error } })
  })

  test('needs a key, allows other origins, and accepts no other method', async () => {
    const missing = await service.app.request('/api/v1/chat/feedback', { method: 'POST' })
    expect(missing.status).toBe(401)
    const get = await service.app.request('/api/v1/chat/feedback')
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    const { response } = await rate({ rating: 'up' })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })
})
