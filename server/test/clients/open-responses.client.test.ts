import { expect } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { runResponse } from '#features/responses/index.ts'
import type { JobQueue } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { showsFor } from '#test/support/chat/client-features.ts'
import {
  bodyOf,
  eventsOf,
  expectOfficial,
  responsesOf,
  textOf,
  type ResponseBody,
} from '#test/support/chat/open-responses.ts'
import { countRows } from '#test/security/count-rows.ts'
import type { ModelScript } from '#test/support/servers/model-wires.ts'

const shows = showsFor('Open Responses')

const user = (content: unknown) => ({ type: 'message', role: 'user', content })
const getWeather = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a place',
  parameters: { type: 'object', properties: { location: { type: 'string' } } },
}

/** What the official compliance suite checks, with requests of our own and its schemas. */
describeChat('what the compliance suite of Open Responses checks', (open) => {
  async function setUp(script: (n: number) => ModelScript = () => ({ reply: 'Hello there.' })) {
    const service = await open({ model: { script: (_, n) => script(n) } })
    const base = await service.listen()
    const agent = await service.makeAgent({ model: 'openai/gpt-4o' })
    const api = responsesOf({
      // Over HTTP, as the suite calls it.
      app: { request: (path: string, init: RequestInit) => fetch(new URL(path, base), init) },
      agent,
      key: agent.key,
    } as never)
    return { ...api, service, agent }
  }

  shows(['basic answer'], 'a text is answered with a completed message', async () => {
    const { create } = await setUp()
    const response = await create({ input: [user('Say hello.')] })
    expect(response).toMatchObject({ status: 'completed', error: null, object: 'response' })
    expect(textOf(response)).toBe('Hello there.')
  })

  shows(
    ['streaming'],
    'every event matches its schema, and the last has the response',
    async () => {
      const { stream } = await setUp()
      const events = await stream({ input: [user('Count from 1 to 5.')] })
      expect(events.at(-1)).toMatchObject({
        type: 'response.completed',
        response: { status: 'completed' },
      })
      expect(events.map(({ sequence_number: n }) => n)).toEqual(events.map((_, n) => n))
    },
  )

  shows(['system prompt'], 'a system message and instructions reach the model', async () => {
    const { create, service, agent } = await setUp()
    const system = { type: 'message', role: 'system', content: 'You are a pirate.' }
    await create({ input: [system, user('Say hello.')] })
    const allowed = { allow_request_overrides: ['instructions' as const] }
    await updateAgent(service.ctx, service.owner, agent.id, allowed)
    await create({ instructions: 'You are a pirate.', input: [user('Say hello.')] })
    for (const { body } of service.model.requests)
      expect(body.messages).toMatchObject([
        { role: 'system', content: 'You are a pirate.' },
        { role: 'user', content: 'Say hello.' },
      ])
  })

  shows(['tool calling'], 'a call of a function is an item of the output', async () => {
    const toolCalls = [{ name: 'get_weather', arguments: { location: 'Bern' } }]
    const { create } = await setUp(() => ({ reply: '', toolCalls }))
    const response = await create({ input: [user('The weather in Bern?')], tools: [getWeather] })
    expect(response.output).toMatchObject([
      { type: 'function_call', name: 'get_weather', arguments: '{"location":"Bern"}' },
    ])
  })

  shows(['image input'], 'an image reaches the model', async () => {
    const { create, service } = await setUp()
    const image_url = 'data:image/png;base64,iVBORw0KGgo='
    const content = [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', image_url },
    ]
    expect((await create({ input: [user(content)] })).status).toBe('completed')
    expect(JSON.stringify(service.model.requests[0]?.body)).toContain(image_url)
  })

  shows(['multi-turn'], 'the history of a request reaches the model in its order', async () => {
    const { create, service } = await setUp()
    const content = [{ type: 'output_text', text: 'Hello Alice!', annotations: [] }]
    const answer = { type: 'message', role: 'assistant', content }
    await create({ input: [user('My name is Alice.'), answer, user('What is my name?')] })
    expect(service.model.requests[0]?.body.messages).toEqual([
      { role: 'user', content: 'My name is Alice.' },
      { role: 'assistant', content: 'Hello Alice!' },
      { role: 'user', content: 'What is my name?' },
    ])
  })

  shows(['previous response'], 'a response continues the one that it names', async () => {
    const { create, service } = await setUp()
    const first = await create({ input: [user('My name is Alice.')] })
    const next = { input: [user('What is my name?')], previous_response_id: first.id }
    expect((await create(next)).previous_response_id).toBe(first.id)
    expect(service.model.requests[1]?.body.messages).toHaveLength(3)
  })

  shows(['message phases'], 'phases are accepted, and answers have one', async () => {
    const { create } = await setUp()
    const content = [{ type: 'output_text', text: 'Let me see.', annotations: [] }]
    const said = { type: 'message', role: 'assistant', phase: 'commentary', content }
    const response = await create({ input: [user('Tea?'), said, user('And?')] })
    expect(response.output).toMatchObject([{ type: 'message', phase: 'final_answer' }])
  })

  shows(['compaction'], 'a compacted conversation is continued', async () => {
    const { call, create, agent } = await setUp()
    const input = [user('My name is Alice.'), user('I like tea.')]
    const answer = await call('POST', '/responses/compact', { model: agent.app_name_id, input })
    const compacted = await bodyOf<Pick<ResponseBody, 'output'>>(answer, 200)
    expectOfficial('CompactResource', compacted)
    expect(compacted.output.map(({ type }) => type)).toContain('compaction')
    const next = await create({ input: [...compacted.output, user('What is my name?')] })
    expect(next.status).toBe('completed')
  })

  shows(['missing model'], 'a request without a model is refused', async () => {
    const { call, refused } = await setUp()
    const response = await call('POST', '/responses', { input: [user('Hello')] })
    expect(await refused(response, 400)).toMatchObject({
      type: 'invalid_request',
      code: 'missing_required_parameter',
    })
  })

  shows(['`store: false`'], 'what is not stored leaves nothing but the ledger', async () => {
    const { create, call, service } = await setUp()
    // PostgreSQL counts requests there, by the key.
    const count = () => countRows(service.ctx.db, ['rate_limits'])
    const before = await count()
    const { id } = await create({ input: [user('Hello')], store: false })
    expect((await call('GET', `/responses/${id}`)).status).toBe(404)
    expect(await count()).toEqual({ ...before, credit_entries: 1 })
  })

  shows(
    ['background'],
    'a background response is queued, cancelled, run, and streamed later, whole and from a number',
    async () => {
      const { create, call, service } = await setUp()
      const { id, status } = await create({ input: [user('Hello')], background: true })
      expect(status).toBe('queued')
      const cancelled = await bodyOf(await call('POST', `/responses/${id}/cancel`), 200)
      expect(expectOfficial('ResponseResource', cancelled).status).toBe('cancelled')
      const events = await eventsOf(await call('GET', `/responses/${id}?stream=true`))
      expect(events.at(-1)?.response?.status).toBe('cancelled')
      const later = await create({ input: [user('Hello')], background: true })
      const jobs = service.ctx.jobs as JobQueue // As compose.ts creates it.
      await createJobRunner(service.ctx, jobs, [runResponse]).runDue()
      const path = `/responses/${later.id}?stream=true`
      const whole = await eventsOf(await call('GET', path))
      const said = whole.flatMap(({ type, delta = '' }) =>
        type === 'response.output_text.delta' ? [delta] : [],
      )
      expect(said.join('')).toBe('Hello there.')
      expect(whole.at(-1)?.response?.status).toBe('completed')
      const rest = await eventsOf(await call('GET', `${path}&starting_after=3`))
      expect(rest).toEqual(whole.slice(4))
      expect(rest[0]?.sequence_number).toBe(4)
    },
  )
})
