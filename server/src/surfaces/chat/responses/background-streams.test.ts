import { expect, test } from 'vitest'
import { runResponse } from '#features/responses/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { bodyOf, eventsOf, responsesOf } from '#test/support/chat/open-responses.ts'

const run = ({ ctx }: ChatService) =>
  createJobRunner(ctx, ctx.jobs as JobQueue, [runResponse]).runDue() // As compose.ts creates it.

describeChat('a background response', (open) => {
  test('that may become a branch names no conversation until it begins', async () => {
    const service = await open({ model: { reply: 'ok' } })
    const { create, post, get, call } = responsesOf(service)
    const first = await create({ input: 'one' })
    const asked = { input: 'two', previous_response_id: first.id, background: true }
    const response = await post(asked)
    expect(response.headers.get('x-chat-session-id')).toBeNull()
    const queued = await bodyOf(response, 200)
    expect(queued).toMatchObject({ status: 'queued', conversation: null, store: true })
    expect((await get(queued.id)).conversation).toBeNull()
    const cancelled = await create(asked)
    await call('POST', `/responses/${cancelled.id}/cancel`)
    expect(await get(cancelled.id)).toMatchObject({ status: 'cancelled', conversation: null })
    // Another response continues the first one, so the queued one branches.
    const other = await create({ input: 'three', previous_response_id: first.id })
    expect(other.conversation).toEqual(first.conversation)
    await run(service)
    const { conversation } = await get(queued.id)
    expect(conversation?.id).toMatch(/^conv_/)
    expect(conversation).not.toEqual(first.conversation)
  })

  test('of a new session or a conversation names it at once', async () => {
    const { create, post, get } = responsesOf(await open({ model: { reply: 'ok' } }))
    const first = await create({ input: 'one' })
    const asked = { input: 'two', conversation: first.conversation?.id, background: true }
    const response = await post(asked)
    expect(response.headers.get('x-chat-session-id')).not.toBeNull()
    expect((await bodyOf(response, 200)).conversation).toEqual(first.conversation)
    const queued = await create({ input: 'three', background: true })
    expect(queued.conversation).not.toBeNull()
    expect((await get(queued.id)).conversation).toEqual(queued.conversation)
  })

  test('has a bounded number of open streams', async () => {
    const service = await open({ environment: { MAX_BACKGROUND_STREAMS: '2' } })
    const { create, post, call, refused } = responsesOf(service)
    const { id } = await create({ input: 'one', background: true })
    const path = `/responses/${id}?stream=true`
    const first = await call('GET', path)
    const second = await post({ input: 'two', background: true, stream: true })
    const third = await call('GET', path)
    expect(await refused(third, 429)).toMatchObject({ code: 'background_streams_full' })
    // What is refused is not queued either.
    expect((await post({ input: 'three', background: true, stream: true })).status).toBe(429)
    const runs = service.ctx.db.read.selectFrom('response_runs').select('response_id').execute()
    expect(await runs).toHaveLength(2)
    // Those of other agents do not count.
    const other = await service.makeAgent()
    const others = responsesOf({ ...service, agent: other, key: other.key })
    const theirs = await others.post({ input: 'x', background: true, stream: true })
    expect(theirs.status).toBe(200)
    await run(service)
    for (const stream of [first, second, theirs]) expect(await eventsOf(stream)).not.toEqual([])
    expect(await eventsOf(await call('GET', path))).not.toEqual([])
  })

  test('is not counted as streamed after its client disconnects, or its request fails', async () => {
    const service = await open({ environment: { MAX_BACKGROUND_STREAMS: '1' } })
    const { create, post, call } = responsesOf(service)
    const { id } = await create({ input: 'one', background: true })
    const path = `/responses/${id}?stream=true`
    const unknown = { previous_response_id: `resp_${'0'.repeat(32)}` }
    const fields = { input: 'two', background: true, stream: true }
    expect((await post({ ...fields, ...unknown })).status).toBe(404)
    const url = `${await service.listen()}${path}`
    const client = new AbortController()
    const headers = { authorization: `Bearer ${service.key}` }
    const stream = await fetch(url, { headers, signal: client.signal })
    expect(stream.status).toBe(200)
    expect((await call('GET', path)).status).toBe(429)
    client.abort()
    await expect.poll(async () => (await fetch(url, { headers })).status).toBe(200)
    await run(service)
  })
})
