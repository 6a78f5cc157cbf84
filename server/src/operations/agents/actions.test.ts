import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAgent, deleteAgent, type Agent } from '#features/agents/index.ts'
import type { Fault } from '#kernel/fault.ts'
import { json, startActionServer } from '#test/support/servers/action-server.ts'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { findOperation } from '#operations/catalogue.ts'
import { faultMessage } from '#operations/fault-wording.ts'
import { runOperation } from '#operations/run-operation.ts'

type Answer = Record<string, unknown>

describeInstance('actions of an agent', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  beforeAll(async () => {
    instance = await open({ OUTBOUND_ALLOW_PRIVATE: '127.0.0.1' })
    ada = await instance.person()
  })
  beforeEach(async () => {
    agent = await createAgent(instance.ctx, ada, { name: 'Helper' })
  })

  function call(name: string, input: Answer, narrower = {}): Promise<Answer> {
    return runOperation(instance.ctx, actorOf(ada, narrower), findOperation(name)!, input)
  }

  async function refusal(promise: Promise<unknown>): Promise<Fault & { said: string }> {
    const fault = await promise.then(
      () => {
        throw new Error('it was not refused')
      },
      (error: unknown) => error as Fault, // Anything else fails the comparison.
    )
    return Object.assign(fault, { said: faultMessage(fault) })
  }

  const weather = () => ({
    app_id: agent.id,
    name: 'get_weather',
    description: 'The weather of a city',
    method: 'GET',
    url: 'https://api.example.com/v1/cities/{city}/weather',
    parameters: [{ in: 'path', key: 'city', instructions: 'In English' }],
  })

  test('are created with defaults for the fields that are left out', async () => {
    const made = await call('create_custom_action', weather())
    expect(made).toEqual({
      id: expect.any(String),
      app_id: agent.id,
      workspace_id: ada.workspaceId,
      name: 'get_weather',
      title: 'get_weather',
      description: 'The weather of a city',
      method: 'GET',
      url: 'https://api.example.com/v1/cities/{city}/weather',
      parameters: [
        {
          in: 'path',
          key: 'city',
          type: 'string',
          source: 'ai',
          required: true,
          instructions: 'In English',
        },
      ],
      headers: {},
      body_type: 'json',
      body_template: null,
      timeout_ms: 15_000,
      max_response_bytes: 262_144,
      response_path: null,
      enabled: true,
      requires_confirmation: false,
      last_test: null,
      created_at: '2026-01-02T03:04:05.678Z',
      updated_at: '2026-01-02T03:04:05.678Z',
    })
    expect(await call('get_custom_action', { action_id: made.id })).toEqual(made)
    const list = await call('list_custom_actions', { app_id: agent.appNameId })
    expect(list).toEqual({ items: [made], next_cursor: null })
  })

  test('are changed field by field and deleted, with an audit event each', async () => {
    const { id } = await call('create_custom_action', weather())
    const changed = await call('update_custom_action', {
      action_id: id,
      title: 'Weather',
      enabled: false,
    })
    expect(changed).toMatchObject({ title: 'Weather', enabled: false, name: 'get_weather' })
    await call('delete_custom_action', { action_id: id })
    const gone = await refusal(call('get_custom_action', { action_id: id }))
    expect(gone).toMatchObject({ code: 'record_not_found' })
    const events = await instance.ctx.db.read
      .selectFrom('audit_events')
      .select(['action', 'outcome'])
      .where('target', '=', String(id))
      .orderBy('id')
      .execute()
    expect(events.map(({ action }) => action)).toEqual([
      'create_custom_action',
      'update_custom_action',
      'delete_custom_action',
    ])
  })

  test('are listed page by page, newest first', async () => {
    for (const name of ['one', 'two', 'three'])
      await call('create_custom_action', { ...weather(), name })
    const first = await call('list_custom_actions', { app_id: agent.id, limit: 2 })
    expect(first.items).toMatchObject([{ name: 'three' }, { name: 'two' }])
    const cursor = first.next_cursor
    const rest = await call('list_custom_actions', { app_id: agent.id, limit: 2, cursor })
    expect(rest).toMatchObject({ items: [{ name: 'one' }], next_cursor: null })
  })

  test('have unique names, also when two are created at once', async () => {
    const both = await Promise.allSettled([1, 2].map(() => call('create_custom_action', weather())))
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const fault = await refusal(call('create_custom_action', weather()))
    expect(fault).toMatchObject({ code: 'action_name_taken', facts: { name: 'get_weather' } })
    const other = await call('create_custom_action', { ...weather(), name: 'other' })
    const renamed = call('update_custom_action', { action_id: other.id, name: 'get_weather' })
    expect(await refusal(renamed)).toMatchObject({ code: 'action_name_taken' })
  })

  test('are limited to 64, also when the last two are created at once', async () => {
    const names = Array.from({ length: 63 }, (_, n) => `action_${n}`)
    for (const name of names) await call('create_custom_action', { ...weather(), name })
    const last = ['a', 'b'].map((name) => call('create_custom_action', { ...weather(), name }))
    const settled = await Promise.allSettled(last)
    expect(settled.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const fault = await refusal(call('create_custom_action', { ...weather(), name: 'c' }))
    expect(fault).toMatchObject({ code: 'too_many_actions', facts: { allowed: 64 } })
  })

  test('of a deleted agent are not found', async () => {
    const { id } = await call('create_custom_action', weather())
    await deleteAgent(instance.ctx, ada.workspaceId, agent.id)
    for (const name of ['get_custom_action', 'delete_custom_action', 'test_custom_action'])
      expect(await refusal(call(name, { action_id: id }))).toMatchObject({
        code: 'record_not_found',
      })
  })

  test('are read only with actions:read and changed only with actions:write', async () => {
    const reading = { scopes: ['actions:read'], surface: 'mcp' }
    expect(await call('list_custom_actions', { app_id: agent.id }, reading)).toMatchObject({
      items: [],
    })
    for (const [name, input] of [
      ['create_custom_action', weather()],
      ['import_custom_actions', { app_id: agent.id, curl: 'curl http://a.b' }],
      ['set_app_variable', { app_id: agent.id, name: 'X', value: 'x' }],
    ] as const)
      expect(await refusal(call(name, input, reading))).toMatchObject({
        code: 'scope_missing',
        facts: { scope: 'actions:write' },
      })
  })

  describe('are rejected with a reason', () => {
    const path = (key: string, more = {}) => ({ in: 'path', key, ...more })
    test.each([
      ['another scheme', { url: 'ftp://a.b/{city}' }, /http\(s\) address/],
      ['no URL', { url: 'weather/{city}' }, /http\(s\) address/],
      [
        'a password in the URL',
        { url: 'https://a:b@c.d/{city}' },
        /must not contain a user or password/,
      ],
      ['a parameter in the host', { url: 'https://{city}.example.com/' }, /part of the host/],
      ['a place without a parameter', { url: 'https://a.b/{city}/{day}' }, /\{day\} has no param/],
      ['a parameter without a place', { url: 'https://a.b/' }, /city is not in the url/],
      ['a parameter twice', { parameters: [path('city'), path('city')] }, /occurs twice/],
      ['a fixed value that is missing', { parameters: [path('city'), { in: 'query', key: 'n', type: 'string', source: 'fixed' }] }, /must be of type string/], // prettier-ignore
      ['a fixed value of another type', { parameters: [path('city'), { in: 'query', key: 'n', type: 'integer', source: 'fixed', value: 'x' }] }, /must be of type integer/], // prettier-ignore
      ['an unknown system value', { parameters: [path('city', { source: 'system', value: 'pass' })] }, /must be one of/], // prettier-ignore
      ['a bad name of a variable', { parameters: [path('city', { source: 'variable', value: 'x y' })] }, /name of a variable/], // prettier-ignore
      ['a header that is none', { headers: { 'a b': 'c' } }, /not a valid header name/],
      ['a header of two lines', { headers: { 'X-A': 'a\r\nX-B: b' } }, /not a valid header value/],
      ['an unknown reference', { headers: { 'X-A': '{{city}}' } }, /write \{\{var/],
      ['an unknown reference', { headers: { 'X-A': '{{system.secret}}' } }, /must be one of/],
      [
        'a body for GET',
        { parameters: [path('city'), { in: 'body', key: 'a' }] },
        /GET request has no body/,
      ],
      ['a template that is no JSON', { method: 'POST', body_template: '{' }, /must be JSON/],
      ['a template that asks for more', { method: 'POST', body_template: '{"a":"{{b}}"}' }, /has no parameter in body/], // prettier-ignore
      ['a response path that is none', { response_path: 'a..b' }, /response_path/],
      ['a pattern, which could run forever', { parameters: [path('city', { schema: { pattern: '(a+)+$' } })] }, /schema/], // prettier-ignore
    ])('%s', async (_, change, message) => {
      const fault = await refusal(call('create_custom_action', { ...weather(), ...change }))
      expect(fault.said).toMatch(message)
      expect(fault).toMatchObject({ code: 'action_invalid' })
    })

    test.each(['', '2fast', 'a b', 'a__b', 'x'.repeat(65)])('the name “%s”', async (name) => {
      const fault = await refusal(call('create_custom_action', { ...weather(), name }))
      expect(fault).toMatchObject({ code: 'invalid_input' })
    })

    test('an update that contradicts the stored action', async () => {
      const { id } = await call('create_custom_action', weather())
      const broken = call('update_custom_action', { action_id: id, url: 'https://a.b/{day}' })
      expect(await refusal(broken)).toMatchObject({ code: 'action_invalid' })
      const nothing = call('update_custom_action', { action_id: id })
      expect((await refusal(nothing)).said).toMatch(/Name at least one/)
    })
  })

  describe('are tested by a user', () => {
    test('and the user sees what the model would receive, and that it was tested', async () => {
      const api = await startActionServer(json({ data: { items: [{ n: 1 }, { n: 2 }] } }))
      const { id } = await call('create_custom_action', {
        ...weather(),
        url: `${api.origin}/{city}`,
        response_path: 'data.items[*].n',
        requires_confirmation: true,
      })
      const run = await call('test_custom_action', { action_id: id, arguments: { city: 'Bern' } })
      expect(run).toEqual({
        id,
        ok: true,
        http_status: 200,
        error_code: null,
        error: null,
        duration_ms: 0,
        data: [1, 2],
      })
      expect(await call('get_custom_action', { action_id: id })).toMatchObject({
        last_test: { ok: true, http_status: 200, at: '2026-01-02T03:04:05.678Z' },
      })
      const [event] = await instance.ctx.db.read
        .selectFrom('audit_events')
        .select('target')
        .where('action', '=', 'test_custom_action')
        .where('target', '=', String(id))
        .execute()
      expect(event).toBeDefined()
    })

    test('whose arguments are checked against the schema like a model’s', async () => {
      const { id } = await call('create_custom_action', weather())
      const run = await call('test_custom_action', { action_id: id, arguments: { city: 1 } })
      expect(run).toMatchObject({ ok: false, error_code: 'bad_arguments' })
    })
  })
})
