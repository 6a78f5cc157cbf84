import OpenAI, { APIUserAbortError, AuthenticationError, NotFoundError, toFile } from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import { expect } from 'vitest'
import { z } from 'zod'
import { runResponse } from '#features/responses/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { showsFor, slowAnswer } from '#test/support/chat/client-features.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'

const words = ['Hel', 'lo ', 'wörld']
const shows = showsFor('`openai` for JavaScript, `responses` and `conversations`')

const lookUp = {
  type: 'function' as const,
  name: 'look_up',
  strict: true,
  parameters: { type: 'object', properties: { word: { type: 'string' } } },
}

describeChat('the openai client with responses, unmodified', (open) => {
  async function setUp(script: (n: number) => ModelScript = () => ({ reply: words })) {
    const service = await open({ model: { script: (_, n) => script(n) } })
    const baseURL = await service.listen()
    const agent = await service.makeAgent({ model: 'openai/gpt-4o' })
    const client = new OpenAI({ baseURL, apiKey: agent.key, maxRetries: 0 })
    return { service, client, baseURL, model: agent.app_name_id }
  }

  shows(
    ['answer', 'streaming', 'conversation'],
    'creates, streams, continues, reads and deletes responses',
    async () => {
      const { client, model, service } = await setUp()
      const first = await client.responses.create({ model, input: 'hello' })
      expect(first.output_text).toBe('Hello wörld')
      const stream = client.responses.stream({
        model,
        input: 'again',
        previous_response_id: first.id,
      })
      let text = ''
      stream.on('response.output_text.delta', ({ delta }) => {
        text += delta
      })
      const second = await stream.finalResponse()
      expect([text, second.output_text]).toEqual(['Hello wörld', 'Hello wörld'])
      expect(service.model.requests[1]?.body.messages).toHaveLength(3)
      expect((await client.responses.retrieve(second.id)).output_text).toBe('Hello wörld')
      const items = []
      for await (const item of client.responses.inputItems.list(second.id)) items.push(item)
      expect(items).toMatchObject([{ role: 'user', content: [{ text: 'again' }] }])
      await client.responses.delete(first.id)
      await expect(client.responses.retrieve(first.id)).rejects.toThrow(NotFoundError)
    },
  )

  shows(['tools'], 'runs a tool and sends its result, streamed and not', async () => {
    const call = { name: 'look_up', arguments: { word: 'tea' } }
    const { client, model } = await setUp((n) =>
      n % 2 === 0 ? { reply: '', toolCalls: [call] } : { reply: 'A drink.' },
    )
    const first = await client.responses.create({ model, input: 'What is tea?', tools: [lookUp] })
    const [made] = first.output
    if (made?.type !== 'function_call') throw new Error(`no call: ${JSON.stringify(made)}`)
    expect(JSON.parse(made.arguments)).toEqual({ word: 'tea' })
    const result = { type: 'function_call_output' as const, call_id: made.call_id, output: 'hot' }
    const next = { model, input: [result], previous_response_id: first.id, tools: [lookUp] }
    expect((await client.responses.create(next)).output_text).toBe('A drink.')
    const stream = client.responses.stream({ model, input: 'What is tea?', tools: [lookUp] })
    let written = ''
    stream.on('response.function_call_arguments.delta', ({ delta }) => {
      written += delta
    })
    const streamed = await stream.finalResponse()
    expect(streamed.output[0]).toMatchObject({ type: 'function_call', arguments: written })
  })

  shows(['structured output'], 'parses an answer with zodTextFormat', async () => {
    const { client, model } = await setUp(() => ({ reply: '{"city":"Bern","degrees":21}' }))
    const weather = z.object({ city: z.string(), degrees: z.number() })
    const text = { format: zodTextFormat(weather, 'weather') }
    const asked = { model, input: 'Weather?', text }
    const parsed = await client.responses.parse(asked)
    expect(parsed.output_parsed).toEqual({ city: 'Bern', degrees: 21 })
    const streamed = await client.responses.stream(asked).finalResponse()
    expect(streamed.output_parsed).toEqual({ city: 'Bern', degrees: 21 })
  })

  shows(['files'], 'uploads, lists, downloads, uses and deletes files', async () => {
    const { client, model, service } = await setUp()
    const read = () => JSON.stringify(service.model.requests.at(-1)?.body)
    const made = await client.files.create({
      file: await toFile(Buffer.from('The door is green.'), 'note.md'),
      purpose: 'user_data',
      expires_after: { anchor: 'created_at', seconds: 7200 },
    })
    expect(made.expires_at).toBe(made.created_at + 7200)
    expect(await client.files.retrieve(made.id)).toEqual(made)
    expect((await client.files.waitForProcessing(made.id)).status).toBe('processed')
    const second = await client.files.create({
      file: await toFile(Buffer.from('89504e470d0a1a0a', 'hex'), 'a.png'),
      purpose: 'vision',
    })
    const listed = []
    for await (const { id } of client.files.list({ limit: 1, order: 'asc' })) listed.push(id)
    expect(listed).toEqual([made.id, second.id])
    const content = await client.files.content(made.id)
    expect(await content.text()).toBe('The door is green.')
    const parts = [
      { type: 'input_file' as const, file_id: made.id },
      { type: 'input_image' as const, file_id: second.id, detail: 'auto' as const },
      { type: 'input_text' as const, text: 'Which colour?' },
    ]
    await client.responses.create({ model, input: [{ role: 'user', content: parts }] })
    expect(read()).toContain('The door is green.')
    expect(read()).toContain('data:image/png;base64,iVBORw0KGgo=')
    expect(await client.files.delete(made.id)).toMatchObject({ id: made.id, deleted: true })
    await expect(client.files.retrieve(made.id)).rejects.toThrow(NotFoundError)
    const again = client.responses.create({ model, input: [{ role: 'user', content: parts }] })
    await expect(again).rejects.toMatchObject({ status: 400, param: 'input[0].content[0].file_id' })
  })

  shows(['reasoning'], 'shows reasoning, streamed and not', async () => {
    const { client, model } = await setUp(() => ({ reply: words, reasoning: 'I greet.' }))
    const [thought] = (await client.responses.create({ model, input: 'hello' })).output
    const summary = [{ type: 'summary_text', text: 'I greet.' }]
    expect(thought).toMatchObject({ type: 'reasoning', summary })
    const stream = client.responses.stream({ model, input: 'hello' })
    let heard = ''
    stream.on('response.reasoning_summary_text.delta', ({ delta }) => {
      heard += delta
    })
    const { output, output_text: text } = await stream.finalResponse()
    expect([heard, text]).toEqual(['I greet.', 'Hello wörld'])
    expect(output[0]).toMatchObject({ type: 'reasoning', summary })
  })

  shows(['images'], 'sends an image', async () => {
    const { client, model, service } = await setUp()
    const image_url = 'data:image/png;base64,iVBORw0KGgo='
    const part = { type: 'input_image' as const, image_url, detail: 'auto' as const }
    await client.responses.create({ model, input: [{ role: 'user', content: [part] }] })
    expect(JSON.stringify(service.model.requests[0]?.body)).toContain(image_url)
  })

  shows(['conversation'], 'keeps conversations and their items', async () => {
    const { client, model } = await setUp()
    const items = [{ type: 'message' as const, role: 'user' as const, content: 'I am Ada.' }]
    const { id } = await client.conversations.create({ items, metadata: { topic: 'names' } })
    await client.conversations.update(id, { metadata: { topic: 'people' } })
    expect((await client.conversations.retrieve(id)).metadata).toEqual({ topic: 'people' })
    const response = await client.responses.create({ model, input: 'Who am I?', conversation: id })
    expect(response.conversation).toEqual({ id })
    const listed = []
    for await (const item of client.conversations.items.list(id, { limit: 2 })) listed.push(item)
    expect(listed).toMatchObject([{ role: 'assistant' }, { role: 'user' }, { role: 'user' }])
    const [added] = (await client.conversations.items.create(id, { items })).data
    const inIt = { conversation_id: id }
    const found = await client.conversations.items.retrieve(added?.id ?? '', inIt)
    expect(found).toEqual(added)
    await client.conversations.items.delete(added?.id ?? '', inIt)
    expect((await client.conversations.delete(id)).deleted).toBe(true)
    await expect(client.conversations.retrieve(id)).rejects.toThrow(NotFoundError)
  })

  shows(['background'], 'polls, streams later and cancels background responses', async () => {
    const { client, model, service } = await setUp()
    const queued = await client.responses.create({ model, input: 'later', background: true })
    expect(queued.status).toBe('queued')
    const { ctx } = service
    await createJobRunner(ctx, ctx.jobs as JobQueue, [runResponse]).runDue() // As compose.ts creates it.
    const ended = await client.responses.retrieve(queued.id)
    expect([ended.status, ended.output_text]).toEqual(['completed', 'Hello wörld'])
    const numbers = []
    const later = { stream: true, starting_after: 2 } as const
    for await (const event of await client.responses.retrieve(queued.id, later))
      numbers.push(event.sequence_number)
    expect(numbers[0]).toBe(3)
    const other = await client.responses.create({ model, input: 'never', background: true })
    expect((await client.responses.cancel(other.id)).status).toBe('cancelled')
  })

  shows(['abort'], 'aborting a stream ends the model call', async () => {
    const { client, model, service } = await setUp(() => slowAnswer)
    const stream = await client.responses.create({ model, input: 'hello', stream: true })
    for await (const event of stream)
      if (event.type === 'response.output_text.delta') stream.controller.abort()
    const { aborted } = await service.model.request(0)
    await aborted
    const signal = AbortSignal.abort()
    const never = client.responses.create({ model, input: 'hello' }, { signal })
    await expect(never).rejects.toThrow(APIUserAbortError)
  })

  shows(['errors'], 'throws its own error classes with code and param', async () => {
    const { client, model, baseURL } = await setUp()
    const stranger = new OpenAI({ baseURL, apiKey: 'svc_ck_wrong', maxRetries: 0 })
    const unauthenticated = stranger.responses.create({ model, input: 'hello' })
    await expect(unauthenticated).rejects.toThrow(AuthenticationError)
    await expect(unauthenticated).rejects.toMatchObject({ code: 'invalid_api_key' })
    const unknown = client.responses.create({ model: 'nobody-1', input: 'hello' })
    await expect(unknown).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
    const refused = client.responses.create({ model, input: 'hi', max_tool_calls: 1 })
    await expect(refused).rejects.toMatchObject({ status: 400, param: 'max_tool_calls' })
  })
})
