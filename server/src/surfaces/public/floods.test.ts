import { expect, test } from 'vitest'
import { minuteMs } from '#kernel/durations.ts'
import {
  describeVisitors,
  eventsOf,
  type VisitorService,
} from '#test/support/chat/visitor-service.ts'
import { prove } from '../../../../dashboard/chat/proof.ts'

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

  test('ends at the limit of the agent, which counts no part of the day’s budget', async () => {
    const environment = { CHAT_AGENT_RATE_LIMIT: '2' }
    const service = await open({ environment, page: { daily_messages: 3 } })
    for (const _ of [1, 2]) await service.say((await service.visit()).token, 'hello')
    const { token } = await service.visit()
    // The budget has room for one more. If these counted, the second one would find none.
    for (const _ of [1, 2, 3]) {
      const refused = await send(service, token)
      const seconds = Number(refused.headers.get('retry-after'))
      expect(seconds).toBeGreaterThan(0)
      expect([refused.status, await refused.json()]).toEqual([
        429,
        { error: { code: 'busy', retry_after: seconds } },
      ])
    }
    expect(service.model.requests).toHaveLength(2)
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
