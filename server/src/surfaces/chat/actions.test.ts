import { readConfig } from '#config'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAction, updateAction, type NewAction } from '#features/actions/index.ts'
import { updateAgent, type AgentPatch } from '#features/agents/index.ts'
import {
  addAction,
  cityParameter,
  eventually,
  openWithToolCalls,
  loopback,
  sentToModel,
  toolResults,
  transcriptCalls,
} from '#test/support/chat/agent-with-actions.ts'
import { json, startActionServer, type Answer } from '#test/support/servers/action-server.ts'
import type { ModelScript, ScriptedCall } from '#test/support/servers/model-wires.ts'
import { answerOf, describeChat, readFrames } from '#test/support/chat/chat-service.ts'

describeChat('an agent with actions', (open) => {
  const change = (chat: Awaited<ReturnType<typeof open>>, patch: AgentPatch) =>
    updateAgent(chat.ctx, chat.owner, chat.agent.id, patch)

  describe('answers from the results of its calls', () => {
    test('in one piece', async () => {
      const api = await startActionServer(json({ degrees: 21 }))
      const chat = await openWithToolCalls(open, [
        [{ name: 'get_weather', arguments: { city: 'Zürich' } }],
      ])
      await addAction(chat, { url: `${api.origin}/weather`, parameters: [cityParameter] })
      const answer = await answerOf(chat.say('How warm is it?'))
      expect(answer.choices[0].message.content).toBe('Done.')
      expect(api.requests.map(({ path }) => path)).toEqual(['/weather?city=Z%C3%BCrich'])
      expect(sentToModel(chat, 1)).toContain('degrees')
      expect(await transcriptCalls(chat, answer.chatSessionId)).toMatchObject([
        {
          name: 'get_weather',
          status: 'done',
          arguments: { city: 'Zürich' },
          http_status: 200,
          error: null,
          response: '{"degrees":21}',
        },
      ])
    })

    test('as a stream that contains the text and nothing about the calls', async () => {
      const api = await startActionServer(json({ degrees: 21 }))
      const chat = await open({
        model: {
          script: (_, n) =>
            n === 0
              ? { reply: 'Let me look.', toolCalls: [{ name: 'get_weather' }] }
              : { reply: ['It is ', '21°.'] },
        },
        environment: loopback,
      })
      await addAction(chat, { url: `${api.origin}/weather` })
      const response = await chat.say('?', {
        stream: true,
        stream_options: { include_usage: true },
      })
      const text = await response.clone().text()
      expect(text).not.toMatch(/tool|get_weather|degrees/)
      const frames = await readFrames(response)
      const said = frames.map((frame) => {
        const [choice] = (frame.choices ?? []) as { delta: { content?: string } }[] // A chunk.
        return choice?.delta.content ?? ''
      })
      expect(said.join('')).toBe('Let me look.\n\nIt is 21°.')
      expect(
        frames.filter(({ choices }) => (choices as unknown[])?.length === 1).at(-1),
      ).toMatchObject({ choices: [{ delta: {}, finish_reason: 'stop' }] })
      // Two rounds of the same mock.
      expect(frames.at(-2)).toMatchObject({ usage: { prompt_tokens: 18, completion_tokens: 10 } })
      expect(frames.at(-1)).toEqual({ done: true })
    })

    test.each(['anthropic', 'google'])('with a model of %s', async (provider) => {
      const api = await startActionServer(json({ degrees: 21 }))
      const chat = await openWithToolCalls(open, [
        [{ name: 'get_weather', arguments: { city: 'Oslo' } }],
      ])
      const { ctx, model } = chat
      // Only the environment sets trusted addresses, and the mock's is not known before.
      const { providers } = readConfig({
        ANTHROPIC_API_KEY: 'k',
        ANTHROPIC_BASE_URL: model.origin,
        GOOGLE_API_KEY: 'k',
        GOOGLE_BASE_URL: model.origin,
      })
      Object.assign(ctx.config, { providers })
      const { id, app_name_id, key } = await chat.makeAgent({ model: `${provider}/mock` })
      const action = { name: 'get_weather', description: 'Weather', method: 'GET' } as const
      const url = `${api.origin}/weather`
      await createAction(ctx, chat.owner.workspaceId, id, {
        ...action,
        url,
        parameters: [cityParameter],
      })
      for (const stream of [false, true]) {
        const before = model.requests.length
        const response = await chat.post(
          { model: app_name_id, stream, messages: [{ role: 'user', content: 'hi' }] },
          { authorization: `Bearer ${key}` },
        )
        expect(response.status).toBe(200)
        await response.text()
        // The script counts requests: only the first of all asks for a tool.
        expect(model.requests.length - before).toBe(stream ? 1 : 2)
      }
      expect(api.requests).toHaveLength(1)
      expect(sentToModel(chat, 1)).toContain('degrees')
    })
  })

  test('makes calls of the same round concurrently', async () => {
    let arrived = 0
    const both = Promise.withResolvers<void>()
    const answer: Answer = async (response) => {
      arrived += 1
      if (arrived === 2) both.resolve()
      await both.promise
      response.end('ok')
    }
    const api = await startActionServer(answer)
    const calls = ['Oslo', 'Bern'].map((city) => ({ name: 'get_weather', arguments: { city } }))
    const chat = await openWithToolCalls(open, [calls])
    await addAction(chat, { url: api.origin, parameters: [cityParameter], timeout_ms: 4000 })
    const answered = await answerOf(chat.say('Compare them'))
    const shown = await transcriptCalls(chat, answered.chatSessionId)
    expect(shown.map(({ status, arguments: { city } }) => [city, status])).toEqual([
      ['Oslo', 'done'],
      ['Bern', 'done'],
    ])
  })

  describe('keeps its limits', () => {
    const again = (): ModelScript => ({ reply: '', toolCalls: [{ name: 'get_weather' }] })

    test('of steps: then it must answer, and the answer reports if it does not', async () => {
      const api = await startActionServer(json({}))
      const chat = await open({ model: { script: again }, environment: loopback })
      await addAction(chat, { url: api.origin })
      await change(chat, { max_tool_steps: 2 })
      const answer = await answerOf(chat.say('Go on'))
      expect(api.requests).toHaveLength(2)
      expect(chat.model.requests.map(({ body }) => body.tool_choice)).toEqual([
        undefined,
        undefined,
        'none',
      ])
      expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop' })
      expect(answer.choices[0].message.content).toMatch(/could not finish/)
    })

    test('of none at all: it is offered nothing', async () => {
      const chat = await open({ environment: loopback })
      await addAction(chat, { url: 'http://127.0.0.1/' })
      await change(chat, { max_tool_steps: 0 })
      expect((await chat.say('hi')).status).toBe(200)
      expect(chat.model.requests[0]?.body).not.toHaveProperty('tools')
    })

    test('of calls at once', async () => {
      const api = await startActionServer(json({}))
      const many = Array.from({ length: 20 }, () => ({ name: 'get_weather' }))
      const chat = await openWithToolCalls(open, [many])
      await addAction(chat, { url: api.origin })
      const answer = await answerOf(chat.say('All of them'))
      expect(api.requests).toHaveLength(16)
      const shown = await transcriptCalls(chat, answer.chatSessionId)
      expect(shown.filter(({ error_code: code }) => code === 'too_many_calls')).toHaveLength(1)
      const refused = { ok: false, error: 'At most 16 calls can be made at once.' }
      expect(toolResults(chat, 1).slice(16)).toEqual(Array.from({ length: 4 }, () => refused))
    })

    test.each(['launch_rocket', 'get_weather'])(
      'of what refused calls store, whatever a hostile model sends with %s',
      async (name) => {
        const huge = { city: 5, note: 'x'.repeat(10_000) }
        const many = Array.from({ length: 128 }, () => {
          return { name, arguments: huge, extra: { junk: 'y'.repeat(20_000) } }
        })
        const chat = await openWithToolCalls(open, [many])
        await addAction(chat, { url: 'http://127.0.0.1/', parameters: [cityParameter] })
        await answerOf(chat.say('All of them'))
        expect(toolResults(chat, 1)).toHaveLength(128)
        const rows = await chat.ctx.db.read.selectFrom('action_calls').selectAll().execute()
        expect(rows).toHaveLength(17)
        expect(JSON.stringify(rows).length).toBeLessThan(30_000)
      },
    )

    test('of time: a call that is still running is uncertain, and the model answers without it', async () => {
      const api = await startActionServer(() => {})
      const chat = await open({
        model: { script: again },
        environment: { ...loopback, ACTION_TURN_BUDGET_MS: '300' },
      })
      await addAction(chat, { url: api.origin, timeout_ms: 20_000 })
      const answer = await answerOf(chat.say('hi'))
      expect(api.requests).toHaveLength(1)
      const shown = await transcriptCalls(chat, answer.chatSessionId)
      expect(shown).toMatchObject([{ status: 'in_doubt', error_code: 'budget_used' }])
    })
  })

  describe('reports a failed call to its model plainly', () => {
    const cases: readonly [string, Answer, Partial<NewAction>, ScriptedCall, object][] = [
      ['by its status', json({ problem: 'no such city' }, 404), {}, { name: 'get_weather' }, { error_code: 'http_error', http_status: 404, response: '{"problem":"no such city"}' }], // prettier-ignore
      ['by taking too long', () => {}, { timeout_ms: 100 }, { name: 'get_weather' }, { error_code: 'timeout', http_status: null }], // prettier-ignore
      ['by saying too much', (response) => void response.end('x'.repeat(5000)), { max_response_bytes: 1000 }, { name: 'get_weather' }, { error_code: 'too_large' }], // prettier-ignore
      ['by closing the connection', (response) => void response.destroy(), {}, { name: 'get_weather' }, { error_code: 'unreachable' }], // prettier-ignore
      ['by redirecting into the network', (response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end(), {}, { name: 'get_weather' }, { error_code: 'unreachable' }], // prettier-ignore
      ['for arguments that are no JSON', json({}), {}, { name: 'get_weather', arguments: '{"city":' }, { error_code: 'bad_arguments', arguments: {} }], // prettier-ignore
      ['for arguments of another type', json({}), { parameters: [cityParameter] }, { name: 'get_weather', arguments: { city: 5 } }, { error_code: 'bad_arguments', arguments: { city: 5 } }], // prettier-ignore
      ['for unknown arguments', json({}), {}, { name: 'get_weather', arguments: { town: 'x' } }, { error_code: 'bad_arguments' }], // prettier-ignore
      ['for a tool that is not there', json({}), {}, { name: 'launch_rocket' }, { error_code: 'unknown_action', name: 'launch_rocket' }], // prettier-ignore
    ]

    test.each(cases)('%s', async (_, answer, fields, call, recorded) => {
      const api = await startActionServer(answer)
      const chat = await openWithToolCalls(open, [[call]])
      await addAction(chat, { url: `${api.origin}/weather`, ...fields })
      const answered = await answerOf(chat.say('hi'))
      expect(answered.choices[0].message.content).toBe('Done.')
      const [shown] = await transcriptCalls(chat, answered.chatSessionId)
      expect(shown).toMatchObject({ status: 'failed', ...recorded })
      expect(toolResults(chat, 1)).toMatchObject([{ ok: false, error: shown!.error }])
      expect(shown!.error).not.toMatch(/10\.0\.0\.1|ECONN|127\.0/)
    })
  })

  test('stores no calls of a turn that is not stored', async () => {
    const api = await startActionServer(json({}))
    const chat = await openWithToolCalls(open, [[{ name: 'get_weather' }]])
    await addAction(chat, { url: api.origin })
    expect((await chat.say('hi', { store: false })).status).toBe(200)
    expect(api.requests).toHaveLength(1)
    const rows = await chat.ctx.db.read.selectFrom('action_calls').select('id').execute()
    expect(rows).toEqual([])
  })

  test('aborts its calls when the client disconnects, and leaves their outcome unknown', async () => {
    const api = await startActionServer(() => {})
    const chat = await openWithToolCalls(open, [[{ name: 'get_weather' }]])
    await addAction(chat, { url: api.origin })
    const url = await chat.listen()
    const caller = new AbortController()
    const answer = fetch(`${url}/chat/completions`, {
      method: 'POST',
      signal: caller.signal,
      headers: { authorization: `Bearer ${chat.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: chat.agent.app_name_id,
        messages: [{ role: 'user', content: 'hi' }],
      }),
    })
    await api.seen(1)
    caller.abort()
    await expect(answer).rejects.toThrow()
    await api.requests[0]!.aborted
    const statuses = await eventually(async () => {
      const rows = await chat.ctx.db.read.selectFrom('action_calls').select('status').execute()
      return rows.some(({ status }) => status === 'running') ? null : rows
    })
    expect(statuses).toEqual([{ status: 'in_doubt' }])
    expect(chat.model.requests).toHaveLength(1)
  })

  test('shows a call as uncertain after its time limit if its process died', async () => {
    const api = await startActionServer(json({}))
    const chat = await openWithToolCalls(open, [[{ name: 'get_weather' }]])
    await addAction(chat, { url: api.origin, timeout_ms: 1000 })
    const { chatSessionId } = await answerOf(chat.say('hi'))
    // The state between the commit before the call and the one after it.
    const unfinished = { status: 'running', finished_at: null, http_status: null }
    await chat.ctx.db.write((tx) => tx.updateTable('action_calls').set(unfinished).execute())
    expect(await transcriptCalls(chat, chatSessionId)).toMatchObject([{ status: 'running' }])
    chat.advance(60_000)
    expect(await transcriptCalls(chat, chatSessionId)).toMatchObject([{ status: 'in_doubt' }])
    await answerOf(chat.say('again', { chatSessionId }))
    expect(api.requests).toHaveLength(1)
  })

  describe('whose action is disabled', () => {
    let chat: Awaited<ReturnType<typeof open>>

    beforeAll(async () => {
      chat = await open({ environment: loopback })
      const { id } = await addAction(chat, { url: 'http://127.0.0.1/' })
      await updateAction(chat.ctx, chat.owner.workspaceId, id, { enabled: false })
    })

    test('offers nothing', async () => {
      expect((await chat.say('hi')).status).toBe(200)
      expect(chat.model.requests[0]?.body).not.toHaveProperty('tools')
    })
  })
})
