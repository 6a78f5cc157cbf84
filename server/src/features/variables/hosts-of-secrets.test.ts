import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { startActionServer, type ActionServer } from '#test/support/servers/action-server.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'

type Answer = Record<string, unknown>

const token = 'tok-1234567890'

describeInstance('the hosts of a secret', (open) => {
  let instance: TestInstance
  let ada: Person
  let agent: Agent
  let api: ActionServer

  beforeAll(async () => {
    api = await startActionServer((response) => void response.end('{}'))
    instance = await open({ OUTBOUND_ALLOW_PRIVATE: '127.0.0.1,localhost' })
    ada = await instance.person()
  })
  beforeEach(async () => {
    agent = await createAgent(instance.ctx, ada, { name: 'Helper' })
  })

  function call(name: string, input: Answer, person = ada): Promise<Answer> {
    const of = { ...person, workspaceId: ada.workspaceId }
    const scoped = { app_id: agent.id, ...input }
    return runOperation(instance.ctx, actorOf(of), findOperation(name)!, scoped)
  }

  const secret = (more: Answer = {}) =>
    call('set_app_variable', { name: 'KEY', type: 'secret', value: token, ...more })

  async function member(role: 'admin' | 'editor'): Promise<Person> {
    const person = await instance.person()
    await instance.join(person, ada.workspaceId, role)
    return person
  }

  async function tried(action: Answer): Promise<Answer> {
    const more = { description: 'Calls', method: 'GET', ...action }
    const { id } = await call('create_custom_action', {
      name: `call_${Math.random()}`.replace('.', ''),
      ...more,
    })
    const operation = findOperation('test_custom_action')!
    return await runOperation(instance.ctx, actorOf(ada), operation, { action_id: id })
  }

  describe('are required', () => {
    test.each([{}, { hosts: null }, { hosts: [] }])('not %j', async (hosts) => {
      await expect(secret(hosts)).rejects.toMatchObject({
        code: 'variable_invalid',
        facts: { problem: expect.stringContaining('a secret needs hosts') },
      })
    })

    test.each([
      ['*', 'any host is for an owner to choose'],
      ['*.example.com', 'is not a host name'],
      ['https://api.example.com/', 'is not a host name'],
    ])('%s is refused', async (host, problem) => {
      await expect(secret({ hosts: ['a.example', host] })).rejects.toMatchObject({
        facts: { problem: expect.stringContaining(problem) },
      })
    })
  })

  test('stay as they are when only the value changes, and can be narrowed without the value', async () => {
    await secret({ hosts: ['A.example', 'b.example:8443', 'a.example'] })
    expect(await secret()).toMatchObject({ hosts: ['a.example', 'b.example:8443'] })
    const narrowed = await secret({ value: undefined, hosts: ['a.example'] })
    expect(narrowed.hosts).toEqual(['a.example'])
    for (const hosts of [['b.example:8443'], ['a.example', 'c.example']])
      await expect(secret({ value: undefined, hosts })).rejects.toMatchObject({
        facts: { problem: 'a change of the hosts needs the value' },
      })
  })

  describe('any host', () => {
    test('is for owners only, and never for an assistant', async () => {
      await secret({ hosts: ['a.example'] })
      for (const role of ['admin', 'editor'] as const)
        await expect(
          call('allow_any_host', { name: 'KEY' }, await member(role)),
        ).rejects.toMatchObject({ code: 'permission_denied' })
      expect(await call('allow_any_host', { name: 'KEY' })).toMatchObject({ hosts: ['*'] })
      expect(findOperation('allow_any_host')?.surfaces).toEqual(['dashboard', 'cli'])
    })

    test('is audited with the hosts before and after', async () => {
      await secret({ hosts: ['a.example'] })
      await call('allow_any_host', { name: 'KEY' })
      const event = await instance.ctx.db.read
        .selectFrom('audit_events')
        .selectAll()
        .where('action', '=', 'allow_any_host')
        .where('target', '=', agent.id)
        .executeTakeFirstOrThrow()
      expect(event.user_id).toBe(ada.userId)
      expect(`${event.before_json} ${event.after_json}`).toMatch(/a\.example.*\*/)
      expect(JSON.stringify(event)).not.toContain(token)
    })

    test('sends the secret anywhere, until it is narrowed', async () => {
      await call('allow_any_host', { name: 'KEY', value: token })
      const action = { url: `${api.origin}/any`, headers: { 'X-Key': '{{var.KEY}}' } }
      expect(await tried(action)).toMatchObject({ ok: true })
      await secret({ value: undefined, hosts: ['a.example'] })
      expect(await tried(action)).toMatchObject({ error_code: 'secret_not_for_host' })
    })
  })

  test('of a credential that an action contains are the host of its address', async () => {
    await call('set_app_variable', { name: 'SHOP', value: 'acme' })
    await call('set_app_variable', { name: 'BASE', type: 'url', value: `${api.origin}/v1` })
    const headers = { Authorization: `Bearer ${token}` }
    await tried({ name: 'in_host', url: 'https://{{var.SHOP}}.shops.example/x', headers })
    await tried({ name: 'in_base', url: '{{var.BASE}}/x', headers })
    await tried({ name: 'missing', url: 'https://{{var.MISSING}}/x', headers })
    const { items } = await call('list_app_variables', {})
    expect(items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'IN_HOST__AUTHORIZATION', hosts: ['acme.shops.example'] }),
        expect.objectContaining({ name: 'IN_BASE__AUTHORIZATION', hosts: [api.host] }),
        expect.objectContaining({ name: 'MISSING__AUTHORIZATION', hosts: [] }),
      ]),
    )
    expect(
      await tried({
        url: '{{var.BASE}}/x',
        headers: { 'X-Key': '{{var.MISSING__AUTHORIZATION}}' },
      }),
    ).toMatchObject({
      error_code: 'secret_not_for_host',
      error: expect.stringContaining('names no host'),
    })
  })

  describe('hold after a redirect to another host', () => {
    let other: ActionServer
    let first: ActionServer

    beforeAll(async () => {
      other = await startActionServer((response) => void response.end('{}'))
      const elsewhere = other.origin.replace('127.0.0.1', 'localhost')
      first = await startActionServer((response, { path, headers }) => {
        const [, echoed] = path.split('?k=')
        const query = path.startsWith('/echo') ? `?k=${echoed ?? String(headers['x-key'])}` : ''
        response.writeHead(307, { location: `${elsewhere}/${query}` }).end()
      })
    })
    beforeEach(async () => {
      await secret({ hosts: [first.host] })
      other.requests.length = 0
    })

    test('a GET follows without the header that has the secret, a POST not at all', async () => {
      const headers = { 'X-Key': '{{var.KEY}}' }
      await tried({ url: `${first.origin}/plain`, headers })
      await tried({ url: `${first.origin}/plain`, headers, method: 'POST' })
      expect(first.requests.map((request) => request.headers['x-key'])).toEqual([token, token])
      expect(other.requests).toHaveLength(1)
      expect(JSON.stringify(other.requests)).not.toContain(token)
    })

    test.each([
      ['echoed in the query', { url: '/echo', headers: { 'X-Key': '{{var.KEY}}' } }],
      ['repeated from the query', { url: '/echo?k={{var.KEY}}', headers: {} }],
      [
        'in a header that is carried on',
        { url: '/plain', headers: { 'User-Agent': '{{var.KEY}}' } },
      ],
    ])('a secret that is %s is not followed', async (_, { url, headers }) => {
      expect(await tried({ url: first.origin + url, headers })).toMatchObject({
        ok: false,
        error_code: 'redirected',
      })
      expect(other.requests).toEqual([])
    })

    test('a redirect to another of its hosts is followed', async () => {
      await secret({ hosts: [first.host, 'localhost'] })
      const action = { url: `${first.origin}/echo?k={{var.KEY}}` }
      expect(await tried(action)).toMatchObject({ ok: true })
      expect(other.requests).toHaveLength(1)
    })
  })
})
