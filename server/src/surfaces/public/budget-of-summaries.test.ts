import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { summarizeSession } from '#features/turns/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { describeVisitors } from '#test/support/chat/visitor-service.ts'

describeVisitors('the day’s budget of a chat page', (open) => {
  test.each([
    [4, 1],
    [3, 0],
  ])('of %s messages pays for %s summaries of a conversation', async (daily_messages, count) => {
    const service = await open({
      page: { daily_messages },
      environment: { MAX_HISTORY_MESSAGES: '5' },
    })
    const { ctx, owner, agent } = service
    await updateAgent(ctx, owner, agent.id, { memory: 'summary' })
    const { token } = await service.visit()
    let id: string | undefined
    for (const text of ['one', 'two', 'three']) {
      const events = await service.say(token, text, id)
      expect(events.at(-1)?.type).toBe('done')
      id = events[0]?.conversation_id ?? id
    }
    await createJobRunner(ctx, ctx.jobs as JobQueue, [summarizeSession]).runDue() // As compose.ts creates it.
    const stored = await ctx.db.read.selectFrom('session_summaries').select('session_id').execute()
    expect(stored).toHaveLength(count)
    const { messages } = await ctx.db.read
      .selectFrom('chat_page_budgets')
      .select('messages')
      .executeTakeFirstOrThrow()
    expect(messages).toBe(3 + count)
  })
})
