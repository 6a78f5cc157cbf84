import { expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { runResponse } from '#features/responses/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { answerOf, describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { bodyOf, responsesOf } from '#test/support/chat/open-responses.ts'
import { filesOf } from '#test/support/knowledge/uploads.ts'

const url = 'data:image/png;base64,iVBORw0KGgo='
const picture = { type: 'input_image', image_url: url, detail: 'auto' }
const message = (...content: object[]) => ({ type: 'message', role: 'user', content })

const text = { type: 'input_text', text: 'What is this?' }

describeChat('a model that no longer reads the images of a conversation', (open) => {
  async function setUp() {
    const service = await open({ model: { reply: 'ok' } })
    const { ctx, owner, agent } = service
    const change = (model: string) => updateAgent(ctx, owner, agent.id, { model })
    await change('openai/gpt-4o')
    const responses = responsesOf(service)
    const first = await responses.create({ input: [message(text, picture)] })
    await responses.create({ input: 'later', previous_response_id: first.id })
    await change('openai/gpt-3.5-turbo')
    return { service, ...responses, previous_response_id: first.id }
  }

  const read = ({ model }: ChatService) => JSON.stringify(model.requests.at(-1)?.body.messages)

  test.each([
    ['a branch', {}],
    ['a response that is not stored', { store: false }],
  ])('reads the text beside them in %s', async (_, fields) => {
    const { service, create, previous_response_id } = await setUp()
    const { status } = await create({ input: 'Sure?', previous_response_id, ...fields })
    expect(status).toBe('completed')
    expect(read(service)).toContain('What is this?')
    expect(read(service)).toContain('Sure?')
    expect(read(service)).not.toContain('iVBORw0KGgo=')
  })

  test('reads it in a background branch, and in a summary', async () => {
    const { service, create, get, call, previous_response_id } = await setUp()
    const { ctx, agent } = service
    const { id } = await create({ input: 'Sure?', previous_response_id, background: true })
    await createJobRunner(ctx, ctx.jobs as JobQueue, [runResponse]).runDue() // As compose.ts.
    expect((await get(id)).status).toBe('completed')
    const compact = { model: agent.app_name_id, previous_response_id }
    await bodyOf(await call('POST', '/responses/compact', compact), 200)
    expect(read(service)).toContain('What is this?')
  })

  test('is still not sent an image of the request itself', async () => {
    const { post, refused, previous_response_id } = await setUp()
    const asked = { input: [message(text, picture)], previous_response_id }
    for (const background of [false, true])
      expect(await refused(await post({ ...asked, background }), 400)).toMatchObject({
        code: 'images_not_supported',
        param: 'input[0].content[1].image_url',
      })
  })

  test('is sent no file either if it is the built-in one', async () => {
    const service = await open()
    const { ctx, owner, agent } = service
    await updateAgent(ctx, owner, agent.id, { model: 'local/extractive' })
    const { post, refused } = responsesOf(service)
    const file = { type: 'input_file', filename: 'a.txt', file_data: 'VGhlIGRvb3I=' }
    for (const background of [false, true])
      expect(
        await refused(await post({ input: [message(text, file)], background }), 400),
      ).toMatchObject({ code: 'files_not_supported' })
    expect(await ctx.db.read.selectFrom('chat_sessions').select('id').execute()).toEqual([])
  })

  test('branches from files when the agent has the built-in model', async () => {
    const service = await open({ model: { reply: 'ok' } })
    const { ctx, owner, agent } = service
    const { create } = responsesOf(service)
    const { id: file_id } = await filesOf(service).made('The door is green.')
    const first = await create({ input: [message(text, { type: 'input_file', file_id })] })
    await create({ input: 'later', previous_response_id: first.id })
    await updateAgent(ctx, owner, agent.id, { model: 'local/extractive' })
    const next = await create({ input: 'Hello', previous_response_id: first.id })
    expect(next.status).toBe('completed')
  })
})

describeChat('the built-in model as a fallback', (open) => {
  test('answers no request that brings a file, but the next one', async () => {
    const service = await open({ model: { reply: 'ok' } })
    const { ctx, owner, agent } = service
    const settings = { model: 'openai/first', fallback_models: ['local/extractive'] }
    await updateAgent(ctx, owner, agent.id, settings)
    const file = { filename: 'a.txt', file_data: 'data:text/plain;base64,VGhlIGRvb3I=' }
    const content = [
      { type: 'text', text: 'What is it?' },
      { type: 'file', file },
    ]
    const asked = { messages: [{ role: 'user', content }] }
    const { chatSessionId } = await answerOf(service.say('', asked))
    await service.model.stop()
    expect((await service.say('', asked)).status).toBe(502)
    expect((await service.say('And now?', { chatSessionId })).status).toBe(200)
  })
})
