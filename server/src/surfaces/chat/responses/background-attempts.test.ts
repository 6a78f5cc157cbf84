import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { runResponse } from '#features/responses/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { bodyOf, eventsOf, responsesOf, textOf } from '#test/support/chat/open-responses.ts'

const runnerOf = ({ ctx }: Pick<ChatService, 'ctx'>) =>
  createJobRunner(ctx, ctx.jobs as JobQueue, [runResponse]) // As compose.ts creates it.

describeChat('the attempts of a background response', (open) => {
  test('a provider without capacity is asked again later, up to three times', async () => {
    let isBusy = false
    const script = (_: unknown, n: number) =>
      n === 0 || isBusy ? { reply: '', status: 429 } : { reply: 'Good day' }
    const service = await open({ model: { script } })
    const { create, get, call } = responsesOf(service)
    const runner = runnerOf(service)
    const { id } = await create({ input: 'hello', background: true })
    await runner.runDue()
    expect(await get(id)).toMatchObject({ status: 'in_progress', output: [] })
    service.advance(3_600_000)
    await runner.runDue()
    expect(textOf(await get(id))).toBe('Good day')
    expect(service.model.requests.map(({ body }) => body.messages)).toEqual(
      [1, 2].map(() => [{ role: 'user', content: 'hello' }]),
    )
    const items = await bodyOf<{ data: object[] }>(
      await call('GET', `/responses/${id}/input_items`),
      200,
    )
    expect(items.data).toMatchObject([{ content: [{ text: 'hello' }] }])
    isBusy = true
    const second = await create({ input: 'hello', background: true })
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      await runner.runDue()
      service.advance(3_600_000)
    }
    expect(await get(second.id)).toMatchObject({
      status: 'failed',
      error: { code: 'model_limited' },
    })
    expect(service.model.requests).toHaveLength(5)
  })

  test.each([false, true])(
    'a further attempt answers its own question, in a session of its own after a neighbour (%s)',
    async (hasNeighbour) => {
      const script = (_: unknown, n: number) =>
        n === 0 ? { reply: '', status: 429 } : { reply: `Answer ${n}` }
      const service = await open({ model: { script } })
      const { create, get, call } = responsesOf(service)
      const runner = runnerOf(service)
      const conversation = await bodyOf<{ id: string }>(
        await call('POST', '/conversations', {}),
        200,
      )
      const asking = { conversation: conversation.id, input: 'first' }
      const { id } = await create({ ...asking, background: true })
      await runner.runDue()
      if (hasNeighbour) await create({ ...asking, input: 'second' })
      service.advance(3_600_000)
      await runner.runDue()
      const ended = await get(id)
      expect(textOf(ended)).toBe(hasNeighbour ? 'Answer 2' : 'Answer 1')
      expect(ended.conversation?.id === conversation.id).toBe(!hasNeighbour)
      const user = (content: string) => ({ role: 'user', content })
      expect(service.model.requests.at(-1)?.body.messages).toEqual([user('first')])
      const items = await call('GET', `/responses/${id}/input_items`)
      expect(await bodyOf(items, 200)).toMatchObject({ data: [{ content: [{ text: 'first' }] }] })
      // The conversation has both questions, and what the neighbour said.
      const last = await create({ ...asking, input: 'third' })
      expect(textOf(last)).toMatch(/^Answer/)
      const said = service.model.requests.at(-1)?.body.messages
      expect(said).toEqual(
        hasNeighbour
          ? [
              user('first'),
              user('second'),
              { role: 'assistant', content: 'Answer 1' },
              user('third'),
            ]
          : [user('first'), { role: 'assistant', content: 'Answer 1' }, user('third')],
      )
    },
  )

  test('a complete answer counts even if its streamed text cannot be stored', async () => {
    const service = await open({ model: { reply: 'Good day' } })
    const { create, get } = responsesOf(service)
    const { id } = await create({ input: 'hello', background: true })
    const rename = (from: string, to: string) =>
      service.ctx.db.write((tx) =>
        sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(tx),
      )
    await rename('response_texts', 'lost_texts')
    await runnerOf(service).runDue()
    await rename('lost_texts', 'response_texts')
    const ended = await get(id)
    expect([ended.status, textOf(ended)]).toEqual(['completed', 'Good day'])
  })

  test('a message is shown once while its answer is stored and its run has not ended', async () => {
    const service = await open({ model: { reply: 'Good day' } })
    const { create, get } = responsesOf(service)
    const { id } = await create({ input: 'hello', background: true })
    await runnerOf(service).runDue()
    const { output } = await get(id)
    for (const [status, shown] of [
      ['running', 'in_progress'],
      ['cancelled', 'incomplete'],
    ] as const) {
      await service.ctx.db.write((tx) => tx.updateTable('chat_responses').set({ status }).execute())
      const response = await get(id)
      expect(textOf(response)).toBe('Good day')
      expect(response.output).toMatchObject([{ id: output[0]?.id, status: shown }])
    }
  })

  test('a stream begins before its texts, and reads the request and the answer twice', async () => {
    const service = await open({
      model: { script: () => ({ reply: 'Good day', firstByteMs: 900 }) },
    })
    const { create, call } = responsesOf(service)
    const { id } = await create({ input: 'hello', background: true })
    const { db } = service.ctx
    // As if it had begun after a stream found it queued.
    const [row] = await db.read.selectFrom('chat_responses').select(['id', 'session_id']).execute()
    await db.write((tx) =>
      tx
        .insertInto('response_texts')
        .values({
          response_id: row?.id ?? '',
          session_id: row?.session_id ?? '',
          n: 0,
          message_id: '01890000-0000-7000-8000-000000000000',
          content: 'early',
        })
        .execute(),
    )
    const reads = vi.spyOn(db.read, 'selectFrom')
    const live = await call('GET', `/responses/${id}?stream=true`)
    const other = await service.again()
    const running = runnerOf(other).runDue()
    const types = (await eventsOf(live)).map(({ type }) => type)
    await running
    expect(types.slice(0, 4)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
      'response.output_item.added',
    ])
    expect(types.at(-1)).toBe('response.completed')
    const whole = reads.mock.calls.filter(([from]) => String(from) === 'chat_responses as response')
    expect(whole).toHaveLength(2)
  })
})
