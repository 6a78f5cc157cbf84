import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { importActions } from '#features/action-imports/index.ts'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { addToolServer } from '#features/tool-servers/index.ts'
import type { Context } from '#platform/context.ts'
import { createOutbound, type Outbound } from '#platform/outbound-http/outbound.ts'
import { createRemoteTools } from '#platform/remote-tools/create-remote-tools.ts'
import {
  startActionServer,
  type ActionServer,
  type Answer,
} from '#test/support/servers/action-server.ts'
import { describeInstance, type Person } from '#test/support/test-instance.ts'
import { createAction, testAction } from './index.ts'

/** Names of these tests only, which may resolve to any address. */
const names: Readonly<Record<string, readonly string[]>> = {
  'private.example': ['10.0.0.7'],
  'metadata.example': ['169.254.169.254'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
  'mapped.example': ['::ffff:10.0.0.7'],
  'nowhere.example': [],
}

const addresses = [
  ['loopback', 'http://127.0.0.1/'],
  ['decimal', 'http://2130706433/'],
  ['hexadecimal', 'http://0x7f000001/'],
  ['octal', 'http://0177.0.0.1/'],
  ['short', 'http://127.1/'],
  ['full-width digits', 'http://①②⑦.0.0.1/'],
  ['this host', 'http://0.0.0.0/'],
  ['cloud metadata', 'http://169.254.169.254/latest/meta-data'],
  ['carrier-grade NAT', 'http://100.64.0.1/'],
  ['IPv6 loopback', 'http://[::1]/'],
  ['mapped IPv4', 'http://[::ffff:127.0.0.1]/'],
  ['mapped IPv4 in hexadecimal', 'http://[::ffff:a9fe:a9fe]/'],
  ['NAT64', 'http://[64:ff9b::7f00:1]/'],
  ['unique local', 'http://[fd00::1]/'],
  ['link-local', 'http://[fe80::1]/'],
  ['a private name', 'http://private.example/'],
  ['a name of the metadata service', 'http://metadata.example/'],
  ['a name with one private address among public ones', 'http://mixed.example/'],
  ['a name of a mapped address', 'http://mapped.example/'],
] as const

describeInstance('an action', (open) => {
  let ctx: Context
  let ada: Person
  let agent: Agent
  let outbound: Outbound
  let listed: ActionServer
  let answer: Answer = (response) => void response.end('{}')
  let made = 0

  beforeAll(async () => {
    listed = await startActionServer((response, request) => answer(response, request))
    const instance = await open()
    outbound = createOutbound({
      allowPrivate: [listed.host],
      resolve: (hostname, _options, callback) => {
        const known = names[hostname] ?? []
        callback(
          null,
          known.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        )
      },
    })
    ctx = { ...instance.ctx, outbound, remoteTools: createRemoteTools(outbound) }
    ada = await instance.person()
    agent = await createAgent(ctx, ada, { name: 'Helper' })
  })
  afterAll(() => outbound.close())

  async function tryUrl(
    url: string,
    fields: { max_response_bytes?: number; timeout_ms?: number } = {},
  ) {
    made += 1
    const { id: ownAgent } = made % 50 === 0 ? (agent = await createAgent(ctx, ada, { name: 'x' })) : agent // prettier-ignore
    const action = { name: `try_${made}`, description: 'x', method: 'GET', url, ...fields } as const
    const { id } = await createAction(ctx, ada.workspaceId, ownAgent, action)
    const { ok, errorCode, error, data } = await testAction(ctx, ada.workspaceId, id, {})
    return { ok, errorCode, error, data }
  }

  /** The result for a host that is down. The result for a forbidden host must be the same. */
  const down = {
    ok: false,
    errorCode: 'unreachable',
    error: 'The server could not be reached.',
    data: null,
  }

  describe('does not reach private addresses, which look like a host that is down', () => {
    test.each(addresses)('%s', async (_, url) => {
      expect(await tryUrl(url)).toEqual(down)
    })

    test('which looks the same', async () => {
      expect(await tryUrl('http://nowhere.example/')).toEqual(down)
    })

    test.each(addresses)('by a redirect to %s', async (_, url) => {
      const location = url.replace(/[^\x20-\x7e]+/g, encodeURIComponent)
      answer = (response) => void response.writeHead(302, { location }).end()
      expect(await tryUrl(`${listed.origin}/`)).toEqual(down)
    })

    test.each(addresses)('by an import from %s', async (_, url) => {
      const request = { appId: agent.id, url, dryRun: true }
      const { signal } = new AbortController()
      const importer = { workspaceId: ada.workspaceId, signal }
      await expect(importActions(ctx, importer, request)).rejects.toMatchObject({
        code: 'import_invalid',
        facts: { problem: 'The document could not be fetched.' },
      })
    })

    test.each(addresses)('by an MCP server at %s', async (_, url) => {
      const server = {
        appId: agent.id,
        name: 'remote',
        url,
        headers: {},
        allowedTools: null,
        requiresConfirmation: false,
        timeoutMs: 2000,
      }
      await expect(addToolServer(ctx, ada.workspaceId, server)).rejects.toMatchObject({
        code: 'mcp_server_unusable',
        facts: { problem: 'it could not be reached' },
      })
    })
  })

  test.each([
    ['another port', 'http://example.com:22/'],
    ['another port of a listed host', 'http://127.0.0.1:6379/'],
  ])('uses the usual ports only: %s', async (_, url) => {
    expect(await tryUrl(url)).toMatchObject({ errorCode: 'address_refused' })
  })

  test('follows a redirect to no other scheme and to no credentials', async () => {
    for (const location of ['file:///etc/passwd', 'http://a:b@example.com/']) {
      answer = (response) => void response.writeHead(302, { location }).end()
      expect(await tryUrl(listed.origin)).toMatchObject({ errorCode: 'address_refused' })
    }
  })

  test('stops after too many redirects', async () => {
    answer = (response) => void response.writeHead(302, { location: '/again' }).end()
    expect(await tryUrl(listed.origin)).toMatchObject({ errorCode: 'redirected' })
  })

  test('reads no more than its limit, also of compressed responses', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(gzipSync(Buffer.alloc(10_000_000)))
    }
    expect(await tryUrl(listed.origin, { max_response_bytes: 20_000 })).toMatchObject({
      errorCode: 'too_large',
    })
  })

  test('waits no longer than its timeout for a slow response', async () => {
    answer = (response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    }
    expect(await tryUrl(listed.origin, { timeout_ms: 200 })).toMatchObject({ errorCode: 'timeout' })
  })

  test('keeps no cookies and uses no proxy of the environment', async () => {
    answer = (response) => void response.writeHead(200, { 'set-cookie': 'id=1' }).end('{}')
    // Not `process.env = …`: a copy would no longer set the time zone of the process, which later
    // tests in this process rely on.
    vi.stubEnv('http_proxy', 'http://127.0.0.1:9/')
    vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:9/')
    try {
      await tryUrl(listed.origin)
      const count = listed.requests.length
      expect(await tryUrl(listed.origin)).toMatchObject({ ok: true })
      expect(listed.requests[count]?.headers).not.toHaveProperty('cookie')
    } finally {
      vi.unstubAllEnvs()
    }
  })
})
