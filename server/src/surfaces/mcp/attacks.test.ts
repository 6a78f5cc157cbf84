import { Hono } from 'hono'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { createAgentKey, deleteDeveloperKey, listDeveloperKeys } from '#features/api-keys/index.ts'
import { createUser, signIn } from '#features/identity/index.ts'
import { mintAcpKey, mintToken } from '#kernel/tokens.ts'
import {
  answerOf,
  describeMcp,
  mcpBaseUrl,
  modernMeta,
  type McpService,
} from '#test/support/mcp-service.ts'
import { grantFlow } from '#test/support/identity/oauth-flow.ts'
import { whole } from '#test/support/identity/whole-session.ts'
import { mcpSurface } from './index.ts'

const ping = { jsonrpc: '2.0', id: 5, method: 'ping' }

describeMcp('attacks on the tool-protocol server', (open) => {
  let service: McpService

  beforeAll(async () => {
    service = await open({
      plan: 'enterprise',
      environment: { MCP_ALLOWED_ORIGINS: 'https://friend.example, http://localhost:6274/' },
    })
  })

  async function statusOf(response: Promise<Response>): Promise<number> {
    return (await response).status
  }

  describe('from a web page', () => {
    test.each([
      'https://evil.example',
      'null',
      `${mcpBaseUrl}.evil.example`,
      'http://localhost:3001',
      'https://localhost:3000',
      'https://friend.example.evil.example',
      'http://friend.example',
      '',
    ])('Origin %j is refused with any method, and the answer allows no reading', async (origin) => {
      for (const method of ['POST', 'GET', 'OPTIONS']) {
        const headers = { origin, authorization: `Bearer ${service.key}` }
        const response = await service.app.request(`${mcpBaseUrl}/mcp`, { method, headers })
        expect(response.status).toBe(403)
        expect(response.headers.get('access-control-allow-origin')).toBeNull()
      }
    })

    test.each([mcpBaseUrl, 'https://friend.example', 'http://localhost:6274'])(
      'Origin %s passes, may read the answer, and sends no cookie',
      async (origin) => {
        const response = await service.post(ping, { headers: { origin } })
        expect(response.status).toBe(200)
        expect(response.headers.get('access-control-allow-origin')).toBe(origin)
        expect(response.headers.get('access-control-allow-credentials')).toBeNull()
        expect(response.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate')
        const preflight = await service.app.request(`${mcpBaseUrl}/mcp`, {
          method: 'OPTIONS',
          headers: { origin, 'access-control-request-headers': 'authorization,mcp-method' },
        })
        expect(preflight.status).toBe(204)
        expect(preflight.headers.get('access-control-allow-headers')).toBe(
          'authorization,mcp-method',
        )
      },
    )

    test.each(['evil.example', 'evil.example:3000', 'localhost.evil.example', '127.0.0.1.nip.io'])(
      'DNS rebinding: Host %s is refused',
      async (host) => {
        const headers = {
          authorization: `Bearer ${service.key}`,
          'content-type': 'application/json',
        }
        const request = { method: 'POST', headers, body: JSON.stringify(ping) }
        expect((await service.app.request(`http://${host}/mcp`, request)).status).toBe(403)
      },
    )

    test.each(['localhost:9', '127.0.0.1:3000', '[::1]:3000', 'parley:3000', 'friend.example'])(
      'Host %s cannot be rebound by a stranger, or is ours: it passes',
      async (host) => {
        const headers = {
          authorization: `Bearer ${service.key}`,
          'content-type': 'application/json',
        }
        const request = { method: 'POST', headers, body: JSON.stringify(ping) }
        expect((await service.app.request(`http://${host}/mcp`, request)).status).toBe(200)
      },
    )

    test('a form or a simple request is refused: text/plain POST is 415', async () => {
      const headers = { 'content-type': 'text/plain;charset=UTF-8' }
      expect(await statusOf(service.post(ping, { headers }))).toBe(415)
    })
  })

  describe('with anything but an access token or a developer key', () => {
    test('a chat key, an acp_ key, a refresh token and a cookie open nothing', async () => {
      const agent = await createAgent(service.ctx, service.owner, { name: 'A' })
      const chat = await createAgentKey(service.ctx, service.owner, {
        kind: 'chat',
        appId: agent.id,
        name: 'c',
      })
      const { refreshToken } = await grantFlow(service, service.owner)
      for (const key of [chat.key, mintAcpKey().token, refreshToken, mintToken('svc_at_').token])
        expect(await statusOf(service.post(ping, { key }))).toBe(401)
      const account = { email: 'ada@example.com', password: 'correct horse' }
      await createUser(service.ctx, account)
      const visitor = { address: '::1', userAgent: null, sessionToken: null }
      const { token } = whole(await signIn(service.ctx, account, visitor))
      for (const cookie of [`__Secure-parley_session=${token}`, `__Host-parley=${service.key}`]) {
        const response = await service.app.request(`${mcpBaseUrl}/mcp`, {
          method: 'POST',
          headers: { cookie, 'content-type': 'application/json' },
          body: JSON.stringify(ping),
        })
        expect(response.status).toBe(401)
      }
    })

    test('a token in the query or the body is no token', async () => {
      const headers = { authorization: '' }
      const query = `?access_token=${service.key}&token=${service.key}`
      expect(await statusOf(service.post(ping, { query, headers }))).toBe(401)
      const body = { ...ping, access_token: service.key }
      expect(await statusOf(service.post(body, { headers }))).toBe(401)
    })

    test('a token of another audience opens nothing', async () => {
      const { accessToken } = await grantFlow(service, service.owner)
      expect(await statusOf(service.post(ping, { key: accessToken }))).toBe(200)
      await service.ctx.db.write((tx) =>
        tx.updateTable('oauth_grants').set({ resource: 'https://other.example/mcp' }).execute(),
      )
      expect(await statusOf(service.post(ping, { key: accessToken }))).toBe(401)
    })
  })

  describe('with a revoked credential', () => {
    test('a deleted key is refused on the next request, in every process', async () => {
      const person = await service.person()
      const key = await service.makeKey(person)
      const other = await service.again()
      const elsewhere = new Hono().route('/mcp', mcpSurface(other.ctx, { version: '0' }))
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const request = { method: 'POST', headers, body: JSON.stringify(ping) }
      expect((await elsewhere.request(`${mcpBaseUrl}/mcp`, request)).status).toBe(200)
      const holder = { ...person, role: 'owner' } as const
      const [made] = (await listDeveloperKeys(service.ctx, holder, { limit: 1 })).items
      await deleteDeveloperKey(service.ctx, holder, made!.id)
      expect(await statusOf(service.post(ping, { key }))).toBe(401)
      expect((await elsewhere.request(`${mcpBaseUrl}/mcp`, request)).status).toBe(401)
    })

    test('an access token is refused from its last second on', async () => {
      const { accessToken, expiresInSeconds } = await grantFlow(service, service.owner)
      service.advance(expiresInSeconds * 1000 - 1)
      expect(await statusOf(service.post(ping, { key: accessToken }))).toBe(200)
      service.advance(1)
      expect(await statusOf(service.post(ping, { key: accessToken }))).toBe(401)
    })

    test('a key does not outlive its person’s membership in the workspace', async () => {
      const guest = await service.person()
      await service.join(guest, service.owner.workspaceId, 'editor')
      const { workspaceId } = service.owner
      const key = await service.makeKey(guest, { workspaceId })
      expect(await statusOf(service.post(ping, { key }))).toBe(200)
      await service.ctx.db.write((tx) =>
        tx
          .deleteFrom('memberships')
          .where('user_id', '=', guest.userId)
          .where('workspace_id', '=', workspaceId)
          .execute(),
      )
      expect(await statusOf(service.post(ping, { key }))).toBe(401)
    })
  })

  describe('with a body', () => {
    test.each([
      ['arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
      ['objects', '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)],
      [
        'arguments',
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami","arguments":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}}`,
      ],
    ])('deep JSON of %s is refused without a stack overflow', async (_, body) => {
      const response = await service.post(body)
      expect(response.status).toBe(400)
      expect((await answerOf(response)).error.message).toContain('nested deeper')
    })

    test('header and body that name different tools are refused: no check sees only one', async () => {
      const key = await service.makeKey(service.owner, { scopes: ['apps:read'] })
      const params = { name: 'create_app', arguments: { name: 'x' } }
      const headers = { 'mcp-name': 'list_apps' }
      expect(await statusOf(service.modern('tools/call', params, { key, headers }))).toBe(403)
      expect(await statusOf(service.modern('tools/call', params, { headers }))).toBe(400)
    })

    test('batch amplification: each request of a batch counts, and past the limit none is run', async () => {
      const tight = await open({ environment: { MCP_RATE_LIMITS: 'builder=10' } })
      const create = (id: number) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'create_app', arguments: { name: `App ${id}` } },
      })
      const response = await tight.post(Array.from({ length: 11 }, (_, id) => create(id)))
      expect(response.status).toBe(429)
      expect(await tight.ctx.db.read.selectFrom('agents').selectAll().execute()).toEqual([])
    })

    test.each(['constructor', 'prototype', '__proto__'])(
      'a field named %s is not a field of a record and reaches none',
      async (field) => {
        const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_app","arguments":{"${field}":{"name":"x","role":"owner"}}}}`
        expect((await answerOf(service.post(body))).result).toMatchObject({ isError: true })
        expect({}).not.toHaveProperty('role')
      },
    )

    test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
      'a tool named %s is an unknown tool',
      async (name) => {
        const { error } = await service.rpc('tools/call', { name, arguments: {} })
        expect(error.code).toBe(-32602)
      },
    )

    test('a requestState that a client made up, or another person’s, changes nothing', async () => {
      const other = await service.person()
      for (const requestState of [other.userId, 'forged.state', '{"userId":"x"}']) {
        const params = { name: 'whoami', arguments: {}, requestState }
        const { result } = await answerOf(service.modern('tools/call', params))
        expect(result).toMatchObject({
          resultType: 'complete',
          structuredContent: { user: { id: service.owner.userId } },
        })
      }
    })
  })

  test('modern envelopes do not determine the caller', async () => {
    const _meta = {
      ...modernMeta,
      'io.modelcontextprotocol/clientInfo': { name: 'admin', version: '1' },
    }
    const params = { name: 'whoami', arguments: {}, _meta }
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'whoami',
    }
    const { result } = await answerOf(
      service.post({ ...ping, method: 'tools/call', params }, { headers }),
    )
    expect(result.structuredContent).toMatchObject({ client: 'test key' })
  })
})
