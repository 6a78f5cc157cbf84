import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { updateChatPage } from '#features/visitors/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { prove } from '../../../../dashboard/chat/proof.ts'
import { actorOf } from '#test/support/test-instance.ts'
import { describeVisitors, eventsOf, type VisitorService } from '#test/support/visitor-service.ts'

const minuteMs = 60_000

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
    const [start] = await service.say(token, 'A question of a visitor')
    const { items } = await call('list_conversations', { source: 'page' })
    const found = (items as { id: string; end_user: string }[]).find(
      ({ id }) => id === start?.conversation_id,
    )
    expect(found?.end_user).toMatch(/^visitor:/)
    await call('erase_end_user', { end_user: found?.end_user })
    const listed = await (await service.ask(token, '/conversations')).json()
    expect(listed).toEqual({ items: [] })
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

    test('a stolen token works on no other site, and neither do cookies', async () => {
      for (const origin of ['https://evil.example', 'http://localhost:3000'])
        expect(await tries(token, { origin })).toBe(403)
      const { cookie } = await service.visit()
      const response = await service.request(`${service.path}/conversations`, {
        headers: { cookie, origin: 'null' },
      })
      expect(response.status).toBe(401)
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

describeVisitors('a flood of visitors', (open) => {
  const send = (service: VisitorService, token: string) =>
    service.ask(token, '/messages', { text: 'hello' })

  test('ends at the limit of a visitor, and at that of their address', async () => {
    const service = await open({
      environment: { VISITOR_RATE_LIMIT: '2', VISITOR_ADDRESS_RATE_LIMIT: '5' },
    })
    const { token } = await service.visit()
    const statuses: number[] = []
    for (let n = 0; n < 3; n++) statuses.push((await send(service, token)).status)
    expect(statuses).toEqual([200, 200, 429])
    const others = await Promise.all(Array.from({ length: 6 }, () => service.visit()))
    const answers = await Promise.all(others.map(({ token }) => send(service, token)))
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(3)
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/)
  })

  test('counts a message that is sent again with a proof once', async () => {
    const environment = { VISITOR_PROOF_AT: '1', VISITOR_RATE_LIMIT: '2' }
    const service = await open({ environment })
    const { token } = await service.visit()
    expect((await send(service, token)).status).toBe(200)
    const { error } = (await (await send(service, token)).json()) as {
      error: { challenge: string; bits: number }
    }
    const proof = await prove(error.challenge, error.bits)
    const proved = await service.ask(token, '/messages', { text: 'hello', proof })
    expect(proved.status).toBe(200)
  })

  test('needs a proof of work for each message under pressure, which no other visitor can use', async () => {
    const service = await open({ environment: { VISITOR_PROOF_AT: '1' } })
    const { token } = await service.visit()
    const { token: other } = await service.visit()
    const sendWith = (token: string, proof?: string) =>
      service.ask(token, '/messages', { text: 'hello', proof })
    expect((await sendWith(token)).status).toBe(200)
    const challengeOf = async (token: string) => {
      const refused = await sendWith(token)
      expect(refused.status).toBe(429)
      const { error } = (await refused.json()) as {
        error: { code: string; challenge: string; bits: number }
      }
      expect(error.code).toBe('proof_required')
      return error
    }
    const { challenge, bits } = await challengeOf(token)
    const proof = await prove(challenge, bits)
    expect((await sendWith(other, proof)).status).toBe(429)
    expect((await sendWith(token, `${challenge} x`)).status).toBe(429)
    expect((await sendWith(token, proof.replace('.', '.0'))).status).toBe(429)
    expect((await sendWith(token, proof)).status).toBe(200)
    expect((await sendWith(token, proof)).status).toBe(429)
    const late = await challengeOf(token)
    const solved = await prove(late.challenge, late.bits)
    service.advance(2 * minuteMs)
    expect((await sendWith(token, solved)).status).toBe(429)
  })

  test('ends at the day’s budget of the agent, in all processes and after a restart, until tomorrow', async () => {
    const service = await open({ page: { daily_messages: 3 } })
    const { token } = await service.visit()
    for (let n = 0; n < 3; n++) expect((await send(service, token)).status).toBe(200)
    const refused = await send(service, token)
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ error: { code: 'daily_budget_used', limit: 3 } })
    const used = await (
      await service.again()
    ).ctx.db.read
      .selectFrom('chat_page_budgets')
      .select('messages')
      .executeTakeFirstOrThrow()
    expect(used.messages).toBe(3)
    service.advance(24 * 60 * minuteMs)
    const { token: tomorrow } = await service.visit()
    expect((await send(service, tomorrow)).status).toBe(200)
  })

  test('never uses more than the budget, however many come at once', async () => {
    const service = await open({
      page: { daily_messages: 5 },
      environment: { VISITOR_RATE_LIMIT: 'unlimited', VISITOR_ADDRESS_RATE_LIMIT: 'unlimited' },
    })
    const { token } = await service.visit()
    const answers = await Promise.all(Array.from({ length: 12 }, () => send(service, token)))
    const served = answers.filter(({ status }) => status === 200)
    expect(served).toHaveLength(5)
    for (const answer of served) expect(eventsOf(await answer.text()).at(-1)?.type).toBe('done')
  })
})
