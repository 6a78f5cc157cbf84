import { expect, test } from 'vitest'
import { setCreditCap, setPrice } from '#features/credits/index.ts'
import { runResponse } from '#features/responses/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { responsesOf } from '#test/support/chat/open-responses.ts'

const million = 1_000_000
const price = {
  promptMicrosPerMillion: million,
  completionMicrosPerMillion: 10 * million,
  callMicros: 0,
}

/** The model costs something, and the workspace may use as much of it in a day. */
async function capped({ ctx, owner }: ChatService, amountMicros: number) {
  await setPrice(ctx, owner.userId, { pattern: 'openai/*', price })
  const cap = { subject: 'workspace', subjectId: '', period: 'day', amountMicros } as const
  await setCreditCap(ctx, owner, cap)
}

describeChat('the limits of responses', (open) => {
  test.each([
    ['a key', { CHAT_RATE_LIMIT: '2' }],
    ['an agent', { CHAT_AGENT_RATE_LIMIT: '2' }],
  ])('count the requests of %s together with chat completions', async (_, environment) => {
    const service = await open({ environment })
    const { create, post, refused } = responsesOf(service)
    expect((await service.say('1')).status).toBe(200)
    await create({ input: '2' })
    const third = await post({ input: '3' })
    const wait = Number(third.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(60)
    expect(await refused(third, 429)).toMatchObject({ code: 'rate_limit_exceeded' })
    expect((await service.say('4')).status).toBe(429)
    expect(service.model.requests).toHaveLength(2)
  })

  test('refuse a response that a cap does not cover, before anything is stored', async () => {
    const service = await open({ environment: { CREDIT_OUTPUT_TOKENS: '100' } })
    await capped(service, 10)
    const { post, refused } = responsesOf(service)
    for (const stream of [false, true])
      expect(await refused(await post({ input: 'hello', stream }), 402)).toMatchObject({
        code: 'insufficient_quota',
      })
    const { read } = service.ctx.db
    expect(await read.selectFrom('chat_sessions').select('id').execute()).toEqual([])
    expect(service.model.requests).toHaveLength(0)
  })

  test('end a background response whose credits are used up as failed', async () => {
    const service = await open({ environment: { CREDIT_OUTPUT_TOKENS: '100' } })
    const { create, get } = responsesOf(service)
    const { id, status } = await create({ input: 'hello', background: true })
    expect(status).toBe('queued')
    await capped(service, 10)
    const runner = createJobRunner(service.ctx, service.ctx.jobs as JobQueue, [runResponse]) // As compose.ts creates it.
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await runner.runDue()
      service.advance(3_600_000)
    }
    expect(await get(id)).toMatchObject({ status: 'failed', error: { code: 'credit_cap_reached' } })
    expect(service.model.requests).toHaveLength(0)
  })
})
