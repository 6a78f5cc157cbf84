import { beforeAll, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { createFairSlots } from '#platform/fair-slots/create-fair-slots.ts'
import { startActionServer } from '#test/support/servers/action-server.ts'
import { sampleOpenApi } from '#test/support/sample-openapi.ts'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

interface Imported {
  readonly actions: readonly {
    readonly id: string | null
    readonly operation: string
    readonly name: string
    readonly url: string
    readonly method: string
    readonly requires_confirmation: boolean
  }[]
  readonly variables: readonly { readonly name: string }[]
  readonly skipped: readonly unknown[]
}

describeInstance('an import', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent

  beforeAll(async () => {
    instance = await open({ OUTBOUND_ALLOW_PRIVATE: '127.0.0.1' })
    ada = await instance.person()
    agent = await createAgent(instance.ctx, ada, { name: 'Helper' })
  })

  function call(name: string, input: Record<string, unknown>) {
    const all = 'action_id' in input ? input : { app_id: agent.id, ...input }
    return runOperation(instance.ctx, actorOf(ada), findOperation(name)!, all)
  }

  async function importing(input: Record<string, unknown>): Promise<Imported> {
    // The operation's output schema was applied.
    return (await call('import_custom_actions', input)) as unknown as Imported
  }

  const names = async () => {
    const { items } = (await call('list_custom_actions', {})) as { items: { name: string }[] } // A list.
    return items.map(({ name }) => name)
  }

  test('ends its process when the client leaves', async () => {
    const client = new AbortController()
    let [opened, closed] = [0, 0]
    const workers: typeof instance.ctx.workers = {
      open: (...given) => {
        const worker = instance.ctx.workers.open(...given)
        opened += 1
        client.abort(new Error('gone'))
        return {
          run: (...task) => worker.run(...task),
          close: () => (worker.close(), void (closed += 1)),
        }
      },
    }
    const input = { app_id: agent.id, openapi: sampleOpenApi }
    const operation = findOperation('import_custom_actions')!
    const ctx = { ...instance.ctx, workers }
    const imported = runOperation(ctx, actorOf(ada), operation, input, client.signal)
    await expect(imported).rejects.toThrow('gone')
    expect([opened, closed]).toEqual([1, 1])
  })

  test('is refused with a time to wait while too many wait', async () => {
    const importSlots = createFairSlots({ slots: 0, reserved: 0, maxWaiting: 0, maxWaitMs: 1 })
    const input = { app_id: agent.id, openapi: sampleOpenApi }
    const operation = findOperation('import_custom_actions')!
    const imported = runOperation({ ...instance.ctx, importSlots }, actorOf(ada), operation, input)
    await expect(imported).rejects.toMatchObject({
      code: 'imports_busy',
      kind: 'limited',
      facts: { retryAfterSeconds: 10 },
    })
  })

  test('creates nothing in a dry run', async () => {
    const shown = await importing({ openapi: sampleOpenApi })
    expect(shown).toMatchObject({ dry_run: true })
    expect(shown.actions).toHaveLength(5)
    expect(shown.actions.every(({ id }) => id === null)).toBe(true)
    expect(await names()).toEqual([])
    const made = await importing({ openapi: sampleOpenApi, dry_run: false })
    expect(made.actions.map((action) => ({ ...action, id: null }))).toEqual(shown.actions)
    expect(made.variables.map(({ name }) => name)).toContain('API_KEY')
    expect(made.skipped).toHaveLength(1)
    expect((await names()).toSorted()).toEqual(shown.actions.map(({ name }) => name).toSorted())
  })

  const confirmed = ({ actions }: Imported) =>
    actions.filter((one) => one.requires_confirmation).map(({ operation }) => operation)

  test('asks the user first for every method but GET', async () => {
    const shown = await importing({ openapi: sampleOpenApi })
    const changing = shown.actions.filter(({ method }) => method !== 'GET')
    expect(changing).not.toHaveLength(0)
    expect(changing.length).toBeLessThan(shown.actions.length)
    expect(confirmed(shown)).toEqual(changing.map(({ operation }) => operation))
    const post = await importing({ curl: 'curl -X POST https://a.example/me' })
    expect(post.actions).toMatchObject([{ requires_confirmation: true }])
  })

  test('asks the user first for the operations that `confirm` names, and for no other', async () => {
    const { actions } = await importing({ openapi: sampleOpenApi })
    const read = actions.find(({ method }) => method === 'GET')?.operation
    const only = { openapi: sampleOpenApi, confirm: [read] }
    expect(confirmed(await importing(only))).toEqual([read])
    expect(confirmed(await importing({ ...only, confirm: [] }))).toEqual([])
    await expect(importing({ ...only, confirm: ['DELETE /typo'] })).rejects.toMatchObject({
      code: 'import_invalid',
      facts: { problem: 'confirm names an unknown operation: DELETE /typo' },
    })
  })

  test('names each operation as the input field `operations` accepts it', async () => {
    const shown = await importing({ openapi: sampleOpenApi })
    const [first] = shown.actions.map(({ operation }) => operation)
    const chosen = await importing({ openapi: sampleOpenApi, operations: [first] })
    expect(chosen.actions.map(({ operation }) => operation)).toEqual([first])
  })

  test('never replaces an action: a second one with its name gets another name', async () => {
    const again = await importing({
      openapi: sampleOpenApi,
      operations: ['removeAnimal'],
      dry_run: false,
    })
    expect(again.actions).toMatchObject([{ name: 'removeAnimal_2' }])
  })

  test('creates the action of a curl command, with its credential as a secret', async () => {
    const api = await startActionServer(
      (response, request) => void response.end(request.headers['x-api-key']),
    )
    const curl = `curl '${api.origin}/me' -H 'X-Api-Key: very-secret'`
    const shown = await importing({ curl })
    expect(JSON.stringify(shown)).not.toContain('very-secret')
    const { actions } = await importing({ curl, dry_run: false })
    expect(actions).toMatchObject([
      { name: 'get_me', headers: { 'x-api-key': '{{var.GET_ME__X_API_KEY}}' } },
    ])
    const run = await call('test_custom_action', { action_id: actions[0]?.id })
    expect(run).toMatchObject({ ok: true, data: '••••••' })
    expect(api.requests[0]?.headers['x-api-key']).toBe('very-secret')
  })

  test('leaves out the spaces around a credential in a header, so that a response is masked', async () => {
    const api = await startActionServer(
      (response, request) => void response.end(request.headers['x-key']),
    )
    const action = { description: 'A.', method: 'GET', url: api.origin }
    const create = async (name: string, value: string) =>
      await call('create_custom_action', { ...action, name, headers: { 'X-Key': value } })
    const made = await create('spaced', ' very-secret ')
    expect(made).toMatchObject({ headers: { 'X-Key': '{{var.SPACED__X_KEY}}' } })
    const run = await call('test_custom_action', { action_id: made.id })
    expect(run).toMatchObject({ ok: true, data: '••••••' })
    // Too short for a secret, whatever is around it.
    expect(await create('short', 'aaa ')).toMatchObject({ headers: { 'X-Key': 'aaa ' } })
  })

  test('fetches a document from its address', async () => {
    const api = await startActionServer((response) => void response.end(sampleOpenApi))
    const { actions } = await importing({ url: `${api.origin}/openapi.yaml` })
    expect(actions).toHaveLength(5)
  })

  test('stores credentials in a body as secrets, including those of several words', async () => {
    const api = await startActionServer((response) => void response.end('{}'))
    const body = {
      login: { user: 'ada', password: 'correct horse battery' },
      tags: [{ key: 'colour', value: 'red' }],
      q: '{{q}}',
    }
    const curl = `curl ${api.origin}/login --json '${JSON.stringify(body)}'`
    const { actions } = await importing({ curl, dry_run: false })
    expect(JSON.stringify(actions)).toContain('colour')
    for (const word of ['correct', 'horse', 'battery'])
      expect(JSON.stringify(actions)).not.toContain(word)
    await call('test_custom_action', { action_id: actions[0]?.id, arguments: { q: 'x' } })
    expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({ ...body, q: 'x' })
  })

  test('lists the shell variables of a curl command until they are set', async () => {
    const curl = `curl https://a.example/me -H "Authorization: Bearer $HOTEL_TOKEN"`
    expect((await importing({ curl })).variables).toEqual([{ name: 'HOTEL_TOKEN', about: '' }])
    await call('set_app_variable', {
      name: 'HOTEL_TOKEN',
      type: 'secret',
      value: 'very-secret',
      hosts: ['a.example'],
    })
    expect((await importing({ curl })).variables).toEqual([])
  })

  test.each([
    ['that is relative', [{ url: '/api/v3' }], '/api/v3/pets'],
    ['that is relative to its folder', [{ url: './v3' }], '/docs/v3/pets'],
    ['that it does not name', undefined, '/pets'],
  ])('of a fetched document takes a server %s from where it is', async (_, servers, path) => {
    const document = { openapi: '3.1.0', servers, paths: { '/pets': { get: {} } } }
    const api = await startActionServer((response) => void response.end(JSON.stringify(document)))
    const { actions } = await importing({ url: `${api.origin}/docs/openapi.json` })
    expect(actions).toMatchObject([{ url: api.origin + path }])
  })

  test.each([
    [{}, /Give one of/],
    [{ curl: 'curl a.b', openapi: 'x' }, /Give one of/],
    [{ curl: 'ls' }, /must begin with curl/],
    [{ openapi: 'openapi: 3.0.0' }, /no operation/],
    [{ openapi: '{"openapi":"3.0.0","paths":{"/a":{"get":{}}}}' }, /names no server/],
  ])('refuses %j', async (input, message) => {
    await expect(importing(input)).rejects.toMatchObject({
      code: 'import_invalid',
      facts: { problem: expect.stringMatching(message) },
    })
  })

  test('creates all actions or none', async () => {
    const before = await names()
    const paths = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`/a${n}`, { get: {} }]))
    const many = { openapi: '3.0.0', servers: [{ url: 'https://a.example' }], paths }
    const all = importing({ openapi: JSON.stringify(many), dry_run: false })
    await expect(all).rejects.toMatchObject({ code: 'too_many_actions' })
    expect(await names()).toEqual(before)
  })
})
