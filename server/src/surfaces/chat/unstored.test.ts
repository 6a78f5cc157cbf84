import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { runResponse } from '#features/responses/index.ts'
import { summarizeSession } from '#features/turns/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import { addAction, loopback } from '#test/support/chat/agent-with-actions.ts'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import type { RecordedRequest } from '#test/support/servers/model-server.ts'
import { bodyOf, responsesOf } from '#test/support/chat/open-responses.ts'
import { askingAbout, filesOf } from '#test/support/knowledge/uploads.ts'
import { countRows } from '#test/security/count-rows.ts'
import { textsOf } from '#test/security/planted-secrets.ts'

describeChat('what is not stored', (open) => {
  /** An agent with an action, which every answer calls, and with memory. */
  async function openWithAction() {
    const api = await startActionServer(json({ degrees: 21 }))
    const script = ({ body }: RecordedRequest) => {
      const { messages } = body as { messages: { role: string }[] } // OpenAI's format.
      const isAsked = body.tools !== undefined && messages.at(-1)?.role === 'user'
      return isAsked ? { reply: '', toolCalls: [{ name: 'get_weather' }] } : { reply: 'Done.' }
    }
    const environment = { ...loopback, MAX_HISTORY_MESSAGES: '2' }
    const service = await open({ model: { script }, environment })
    await addAction(service, { url: api.origin })
    const { ctx, owner, agent } = service
    await updateAgent(ctx, owner, agent.id, { memory: 'summary' })
    return { api, service }
  }

  const runJobs = ({ ctx }: ChatService) =>
    // As compose.ts creates it.
    createJobRunner(ctx, ctx.jobs as JobQueue, [runResponse, summarizeSession]).runDue()

  test('leaves nothing but the ledger, in no table, when its actions were called', async () => {
    const { api, service } = await openWithAction()
    const { create, call } = responsesOf(service)
    const { id: file } = await filesOf(service).made('The door is green.')
    const { id } = await create({ input: 'one' })
    await create({ input: 'two', previous_response_id: id })
    await runJobs(service)
    const before = await countRows(service.ctx.db)
    const called = api.requests.length
    const store = false
    expect((await service.say('forget this', { store })).status).toBe(200)
    await (await service.say('forget this', { store, stream: true })).text()
    expect((await service.say('', { ...askingAbout(file), store, user: 'ada' })).status).toBe(200)
    await create({ input: 'forget this', store })
    await create({ input: 'forget this', store, previous_response_id: id })
    expect(api.requests).toHaveLength(called + 5)
    const compact = { model: service.agent.app_name_id, previous_response_id: id }
    await bodyOf(await call('POST', '/responses/compact', compact), 200)
    await runJobs(service)
    const after = await countRows(service.ctx.db)
    const ledger = before.credit_entries ?? 0
    expect(after).toEqual({ ...before, credit_entries: ledger + 6 })
    const texts = await textsOf(service.ctx.db)
    const columnsWith = (words: string) =>
      texts.filter(({ text }) => text.includes(words)).map(({ at }) => at)
    // What is stored is found that way.
    expect(columnsWith('The door is green')).toContain('uploaded_file_pieces.bytes')
    expect(columnsWith('forget this')).toEqual([])
  })
})
