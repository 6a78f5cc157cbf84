import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { rollUp } from '#features/analytics/index.ts'
import { exportConversations } from '#features/conversations/index.ts'
import { updateChatPage } from '#features/visitors/index.ts'
import { minuteMs } from '#kernel/durations.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { actorOf } from '#test/support/test-instance.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

describeVisitors('a visitor', (open) => {
  let service: VisitorService
  let token: string

  beforeAll(async () => {
    service = await open()
  })
  beforeEach(async () => {
    ;({ token } = await service.visit())
  })

  const call = (name: string, input: object) =>
    runOperation(service.ctx, actorOf(service.owner), findOperation(name)!, {
      app_id: service.agent.id,
      ...input,
    })
  const status = async (response: Promise<Response>) => (await response).status

  test('gets a streamed answer, and finds the conversation again in the same browser', async () => {
    const { token, cookie } = await service.visit()
    const events = await service.say(token, 'What do you sell?')
    expect(events.map(({ type }) => type)).toEqual(['start', 'text', 'done'])
    const id = events[0]?.conversation_id ?? ''
    await service.say(token, 'And the price?', id)
    const later = await service.visit(cookie)
    const listed = await (await service.ask(later.token, '/conversations')).json()
    expect(listed).toMatchObject({ items: [{ id, question: 'What do you sell?' }] })
    const { messages } = (await (
      await service.ask(later.token, `/conversations/${id}`)
    ).json()) as { messages: { role: string; text: string }[] }
    expect(messages.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      'user: What do you sell?',
      'assistant: Hello there.',
      'user: And the price?',
      'assistant: Hello there.',
    ])
  })

  test('is in the dashboard with the channel, counted, exported and erased like others', async () => {
    const counted = async () => {
      await rollUp(service.ctx)
      const { totals } = await call('get_app_analytics', { source: 'page' })
      return totals as { sessions: number; users: number; messages: number }
    }
    const before = await counted()
    const [start] = await service.say(token, 'A question of a visitor')
    expect(await counted()).toMatchObject({
      sessions: before.sessions + 1,
      users: before.users + 1,
      messages: before.messages + 2,
    })
    const { items } = await call('list_conversations', { source: 'page' })
    const found = (items as { id: string; end_user: string }[]).find(
      ({ id }) => id === start?.conversation_id,
    )
    expect(found?.end_user).toMatch(/^visitor:/)
    const exported = async () => {
      const wanted = { appId: service.agent.id, format: 'jsonl' } as const
      const { workspaceId } = service.owner
      let text = ''
      for await (const piece of await exportConversations(service.ctx, workspaceId, wanted))
        text += piece
      return text.split('\n').filter((line) => line.includes(String(found?.end_user)))
    }
    expect(await exported()).toMatchObject([
      expect.stringContaining('A question of a visitor'),
      expect.stringContaining('Hello there.'),
    ])
    await call('erase_end_user', { end_user: found?.end_user })
    const listed = await (await service.ask(token, '/conversations')).json()
    expect(listed).toEqual({ items: [] })
    expect(await exported()).toEqual([])
  })

  test('rates an answer of their own', async () => {
    const [start] = await service.say(token, 'hello')
    const rating = {
      conversation_id: start?.conversation_id,
      message_id: start?.message_id,
      rating: 'down',
      comment: 'too short',
    }
    expect(await status(service.ask(token, '/ratings', rating))).toBe(200)
    const shown = await service.ask(token, `/conversations/${start?.conversation_id}`)
    expect(await shown.json()).toMatchObject({ messages: [{}, { rating: 'down' }] })
    const { token: other } = await service.visit()
    expect(await status(service.ask(other, '/ratings', rating))).toBe(404)
  })

  test('reaches no conversation of anyone else', async () => {
    const [start] = await service.say(token, 'a secret')
    const { token: other } = await service.visit()
    const id = start?.conversation_id ?? ''
    expect(await status(service.ask(other, `/conversations/${id}`))).toBe(404)
    const asked = service.model.requests.length
    const body = { text: 'what was said?', conversation_id: id }
    expect(await status(service.ask(other, '/messages', body))).toBe(404)
    expect(service.model.requests).toHaveLength(asked)
  })

  describe('with a token that is not theirs or not valid', () => {
    const tries = (token: string, headers: Record<string, string> = {}) =>
      status(service.ask(token, '/messages', { text: 'hello' }, headers))

    test('is refused: forged, of another agent, of the browser, or none', async () => {
      const [body = '', mac = ''] = token.split('.')
      const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
      const other = Buffer.from(JSON.stringify({ ...claims, visitor: 'another' })).toString(
        'base64url',
      )
      const agent = await createAgent(service.ctx, service.owner, { name: 'Other' })
      await updateChatPage(service.ctx, service.owner.workspaceId, agent.id, { enabled: true })
      const elsewhere = await service.request(`/chat/${agent.appNameId}/messages`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          origin: 'null',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ text: 'hello' }),
      })
      expect(elsewhere.status).toBe(401)
      const { cookie } = await service.visit()
      for (const wrong of [
        '',
        '.',
        `${body}.`,
        `${body}.${mac}x`,
        `${other}.${mac}`,
        cookie.split('=')[1] ?? '',
      ])
        expect(await tries(wrong)).toBe(401)
    })

    test('a stolen token works on no other site that says its name, and neither do cookies', async () => {
      for (const origin of ['https://evil.example', 'http://localhost:3000'])
        expect(await tries(token, { origin })).toBe(403)
      const { cookie } = await service.visit()
      const response = await service.request(`${service.path}/conversations`, {
        headers: { cookie, origin: 'null' },
      })
      expect(response.status).toBe(401)
    })

    test('a stolen token works for a program and a frame without an origin, for a day at most, and ends with all visits', async () => {
      // This is the boundary: an opaque origin is that of any sandboxed frame, and programs send what they like.
      expect(await tries(token, { origin: 'null', 'user-agent': 'a thief' })).toBe(200)
      expect(await tries(token, { origin: 'null', referer: 'https://evil.example/' })).toBe(200)
      let last = token
      let minutes = 0
      for (; minutes < 48 * 60; minutes += 14) {
        service.advance(14 * minuteMs)
        const renewed = await service.ask(last, '/visit', {})
        if (!renewed.ok) break
        last = ((await renewed.json()) as { token: string }).token
      }
      // The last renewal is the last multiple of 14 minutes within a day; its token ends soon after.
      expect(minutes).toBe(Math.floor((24 * 60) / 14) * 14)
      expect(await tries(last)).toBe(200)
      service.advance(minuteMs)
      expect(await tries(last)).toBe(401)
      expect(await status(service.ask(last, '/visit', {}))).toBe(401)
      const { token: stolen } = await service.visit()
      await call('end_chat_visits', {})
      expect(await tries(stolen)).toBe(401)
    })

    test('ends after 15 minutes unless it is renewed, and with all visits', async () => {
      service.advance(14 * minuteMs)
      const renewed = (await (await service.ask(token, '/visit', {})).json()) as { token: string }
      service.advance(2 * minuteMs)
      expect(await tries(token)).toBe(401)
      expect(await tries(renewed.token)).toBe(200)
      await call('end_chat_visits', {})
      expect(await tries(renewed.token)).toBe(401)
    })
  })

  test('is refused while the page is paused, and with an empty or too long message', async () => {
    await service.change({ paused: true, message_characters: 10 })
    expect(await status(service.ask(token, '/messages', { text: 'hello' }))).toBe(503)
    await service.change({ paused: false })
    expect(await status(service.ask(token, '/messages', { text: ' ' }))).toBe(400)
    const long = await service.ask(token, '/messages', { text: 'x'.repeat(11) })
    expect([long.status, await long.json()]).toEqual([
      400,
      { error: { code: 'message_too_long', limit: 10 } },
    ])
    const huge = await service.ask(token, '/messages', { text: 'x'.repeat(100_000) })
    expect(huge.status).toBe(413)
    await service.change({ message_characters: 4000 })
  })

  test('learns nothing about a model that fails', async () => {
    const broken = await createAgent(service.ctx, service.owner, {
      name: 'Broken',
      model: 'anthropic/none',
    })
    await updateChatPage(service.ctx, service.owner.workspaceId, broken.id, { enabled: true })
    const path = `/chat/${broken.appNameId}`
    const html = await (await service.request(path)).text()
    const own = /"token":"([^"]+)"/.exec(html)?.[1] ?? ''
    const response = await service.request(`${path}/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${own}`,
        origin: 'null',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ text: 'hello' }),
    })
    expect(await response.json()).toEqual({ error: { code: 'failed' } })
  })
})

describeVisitors('a conversation of a visitor that is full', (open) => {
  test('is refused as such, is not charged, and leaves room for another one', async () => {
    const service = await open({
      environment: { LIMITS: 'messages_per_conversation=4' },
      page: { daily_messages: 3 },
    })
    const { token } = await service.visit()
    const [start] = await service.say(token, 'hello')
    const id = start?.conversation_id
    await service.say(token, 'hello again', id)
    const asked = service.model.requests.length
    for (const _ of [1, 2]) {
      const body = { text: 'and again', conversation_id: id }
      const refused = await service.ask(token, '/messages', body)
      expect([refused.status, await refused.json()]).toEqual([
        409,
        { error: { code: 'conversation_full' } },
      ])
    }
    expect(service.model.requests).toHaveLength(asked)
    expect((await service.say(token, 'and again')).at(-1)).toMatchObject({ type: 'done' })
  })
})
