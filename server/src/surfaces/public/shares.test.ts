import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { SignJWT } from 'jose'
import { rotateIdentitySecret, getChatPage } from '#features/visitors/index.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

const unlimited = {
  VISITOR_RATE_LIMIT: 'unlimited',
  VISITOR_ADDRESS_RATE_LIMIT: 'unlimited',
  VISITOR_REQUEST_LIMIT: 'unlimited',
  VISITOR_PROOF_AT: 'unlimited',
}

/** How many of so many messages from an address are accepted. */
async function accepted(service: VisitorService, messages: number, from: string, token?: string) {
  let count = 0
  for (let n = 0; n < messages; n += 1) {
    const given = token ?? (await service.visit()).token
    const sent = await service.ask(given, '/messages', { text: 'hello' }, {}, from)
    await sent.text()
    if (sent.ok) count += 1
  }
  return count
}

describeVisitors('the daily budget of an agent', (open) => {
  test('has a part of it left for others, whatever one address sends', async () => {
    const service = await open({ page: { daily_messages: 250 }, environment: unlimited })
    expect(await accepted(service, 30, '203.0.113.5')).toBe(25)
    const { token } = await service.visit()
    const refused = await service.ask(token, '/messages', { text: 'hi' }, {}, '203.0.113.5')
    const { error } = (await refused.json()) as { error: Record<string, unknown> }
    expect(error).toMatchObject({ code: 'daily_budget_used', limit: 25 })
    expect(error.retry_after).toBeLessThanOrEqual(86_400)
    // Another address, and one of the same network of IPv6.
    expect(await accepted(service, 1, '203.0.113.6')).toBe(1)
    expect(await accepted(service, 26, '2001:db8::1')).toBe(25)
    expect(await accepted(service, 1, '2001:db8::2')).toBe(0)
    // What was refused has not used the budget of the others.
    const used = await service.ctx.db.read
      .selectFrom('chat_page_budgets')
      .select('messages')
      .executeTakeFirstOrThrow()
    expect(used.messages).toBeLessThanOrEqual(52)
    service.advance(86_400_000)
    expect(await accepted(service, 1, '203.0.113.5')).toBe(1)
  })

  test('has no such part for a private network, and as large a one as the operator chooses', async () => {
    const environment = { ...unlimited, VISITOR_ADDRESS_SHARE: '100' }
    const whole = await open({ page: { daily_messages: 30 }, environment })
    expect(await accepted(whole, 31, '203.0.113.5')).toBe(30)
    const service = await open({ page: { daily_messages: 30 }, environment: unlimited })
    for (const from of ['10.1.2.3', '::ffff:192.168.0.9', 'fd00::1', '127.0.0.1'])
      expect(await accepted(service, 6, from)).toBe(6)
    expect(await accepted(service, 21, '203.0.113.5')).toBe(6)
  })

  test('counts a message that is refused, and its files, for no address', async () => {
    const page = { daily_messages: 250, visitor_files: true, blocked_words: [] }
    const service = await open({
      page,
      environment: { ...unlimited, VISITOR_FILE_LIMIT: '1' },
    })
    const { token } = await service.visit()
    const file = { name: 'a.txt', data: `data:text/plain;base64,${btoa('words')}` }
    const send = (files: readonly object[]) =>
      service.ask(token, '/messages', { text: 'hello', files }, {}, '203.0.113.5')
    for (let n = 0; n < 10; n += 1) expect((await send([file, file])).status).toBe(429)
    expect(await accepted(service, 26, '203.0.113.5', token)).toBe(25)
  })

  test('has a part for each person whom the host identifies', async () => {
    const site = 'https://shop.example'
    const service = await open({
      page: { daily_messages: 250, widget_origins: [site] },
      environment: unlimited,
    })
    const { ctx, owner, agent } = service
    const { secret } = await rotateIdentitySecret(ctx, owner.workspaceId, agent.id)
    const { widgetKey } = await getChatPage(ctx, owner.workspaceId, agent.id)
    const visitOf = async (sub: string) => {
      const identity = await new SignJWT({ sub })
        .setProtectedHeader({ alg: 'HS256' })
        .setExpirationTime(Math.floor(ctx.clock.now() / 1000) + 3600)
        .sign(new TextEncoder().encode(secret))
      const begun = await service.request(`/chat/widget/${widgetKey}/visit`, {
        method: 'POST',
        headers: { origin: site, 'content-type': 'application/json' },
        body: JSON.stringify({ identity }),
      })
      return ((await begun.json()) as { token: string }).token
    }
    expect(await accepted(service, 26, '203.0.113.5')).toBe(25)
    // At the same address, with a part of their own.
    expect(await accepted(service, 26, '203.0.113.5', await visitOf('grace'))).toBe(25)
    // From elsewhere, it is used as well.
    expect(await accepted(service, 1, '203.0.113.77', await visitOf('grace'))).toBe(0)
    expect(await accepted(service, 1, '203.0.113.5', await visitOf('ada'))).toBe(1)
  })
})

describeVisitors('the pressure on an agent', (open) => {
  const sendFrom = async (service: VisitorService, token: string, from: string) => {
    const sent = await service.ask(token, '/messages', { text: 'hello' }, {}, from)
    await sent.text()
    return sent.status
  }

  test('does not come from messages that the limits of a visitor or an address refuse', async () => {
    const environment = {
      VISITOR_RATE_LIMIT: '2',
      VISITOR_ADDRESS_RATE_LIMIT: '3',
      VISITOR_PROOF_AT: '6',
    }
    const service = await open({ environment })
    const visits = await Promise.all(Array.from({ length: 5 }, () => service.visit()))
    const statuses: number[] = []
    for (const { token } of visits)
      for (let n = 0; n < 4; n += 1) statuses.push(await sendFrom(service, token, '203.0.113.5'))
    expect(statuses.filter((status) => status === 200)).toHaveLength(3)
    const { token } = await service.visit()
    expect(await sendFrom(service, token, '203.0.113.6')).toBe(200)
  })

  test('does not make a message that waits for its proof count towards the limits', async () => {
    const environment = {
      VISITOR_RATE_LIMIT: '2',
      VISITOR_ADDRESS_RATE_LIMIT: '3',
      VISITOR_PROOF_AT: '1',
    }
    const service = await open({ environment })
    const { token } = await service.visit()
    expect(await sendFrom(service, token, '203.0.113.5')).toBe(200)
    const challenges = new Set<string>()
    for (let n = 0; n < 5; n += 1) {
      const asked = await service.ask(token, '/messages', { text: 'hi' }, {}, '203.0.113.5')
      const { error } = (await asked.json()) as { error: { code: string; challenge: string } }
      expect(error.code).toBe('proof_required')
      challenges.add(createHash('sha256').update(error.challenge).digest('hex'))
    }
    expect(challenges.size).toBe(5)
  })
})
