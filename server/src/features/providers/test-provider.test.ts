import { createServer } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '#test/support/free-port.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { startServer, type ModelServer } from '#test/support/model-server.ts'
import { listProviderSettings, setProvider, testProvider } from './index.ts'

const never = new AbortController().signal
const completion = {
  choices: [{ message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
}

describeInstance('testing a provider', (open) => {
  let server: ModelServer
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    server = await startServer((response, { path, body, headers }) => {
      if (path.startsWith('/stall')) return
      if (path.startsWith('/page')) response.end('<html>')
      else if (path.startsWith('/broken')) response.writeHead(500).end('{}')
      else if (path.startsWith('/busy')) response.writeHead(429).end('{}')
      else if (path === '/v1/models' || path === '/listless/v1/chat/completions') {
        const isOurs = headers.authorization === 'Bearer sk-right'
        if (!isOurs) response.writeHead(401).end('{}')
        else if (path === '/v1/models') response.end('{"data":[{"id":"listed"}]}')
        else response.end(JSON.stringify(completion))
      } else if (path === '/v1/chat/completions' && body.model === 'unlisted')
        response.end(JSON.stringify(completion))
      else response.writeHead(404).end('{}')
    })
    instance = await open({
      OUTBOUND_ALLOW_PRIVATE: '127.0.0.1,localhost',
      MODEL_FIRST_BYTE_TIMEOUT_MS: '300',
    })
    ada = await instance.person()
  })

  afterAll(() => server.stop())

  async function causeAt(baseUrl: string, more: { model?: string; apiKey?: string } = {}) {
    const tested = { provider: 'mine', apiKey: 'sk-right', ...more, baseUrl }
    return (await testProvider(instance.ctx, ada.workspaceId, tested, never)).cause
  }

  test('a provider that answers is reported with the number of models it lists', async () => {
    const tested = { provider: 'mine', baseUrl: server.baseUrl, apiKey: 'sk-right' }
    const result = await testProvider(instance.ctx, ada.workspaceId, tested, never)
    expect(result).toMatchObject({ cause: null, modelCount: 1 })
  })

  test('the cause is reported: no server listens', async () => {
    expect(await causeAt(`http://127.0.0.1:${await freePort()}/v1`)).toBe('refused')
  })

  test('the cause is reported: the host has no address', async () => {
    expect(await causeAt('http://nothing.invalid/v1')).toBe('dns')
  })

  test('the cause is reported: no answer in time', async () => {
    expect(await causeAt(`${server.origin}/stall`)).toBe('timeout')
  })

  test('the cause is reported: plain HTTP where TLS was asked for', async () => {
    expect(await causeAt(server.baseUrl.replace('http:', 'https:'))).toBe('tls')
  })

  test('the cause is reported: a port that speaks no TLS at all', async () => {
    const talker = createServer((socket) => socket.end('220 mail.example.com ESMTP\r\n'))
    await once(talker.listen(0, '127.0.0.1'), 'listening')
    const address = talker.address()
    const port = typeof address === 'object' ? address?.port : 0
    expect(await causeAt(`https://127.0.0.1:${port}/v1`)).toBe('tls')
    talker.close()
  })

  test.each([
    ['the key is refused', '/v1', { apiKey: 'sk-wrong' }, 'key'],
    ['the path is wrong', '/nowhere', {}, 'path'],
    ['a web page answers', '/page', {}, 'path'],
    ['an error of the provider', '/broken', {}, 'provider'],
    ['a limit', '/busy', {}, 'limited'],
    ['the model is missing', '/v1', { model: 'missing' }, 'model'],
  ])('the cause is reported: %s', async (_, path, more, cause) => {
    expect(await causeAt(server.origin + path, more)).toBe(cause)
  })

  test.each([
    ['is on the list', '/v1', 'listed'],
    ['is not on the list but answers', '/v1', 'unlisted'],
    ['answers where there is no list', '/listless/v1', 'any'],
  ])('a model that %s works', async (_, path, model) => {
    expect(await causeAt(server.origin + path, { model })).toBeNull()
  })

  test('a model name that its provider does not allow is refused, and nothing is sent', async () => {
    const before = server.requests.length
    for (const [provider, model] of [
      ['google', '../../admin/x?'],
      ['mine', 'a/../b'],
    ] as const) {
      const tested = { provider, baseUrl: server.baseUrl, apiKey: 'sk-right', model }
      await expect(
        testProvider(instance.ctx, ada.workspaceId, tested, never),
      ).rejects.toMatchObject({ code: 'model_unknown' })
    }
    expect(server.requests.length).toBe(before)
  })

  test('a private address that is not allowed gives the same answer as one without a route', async () => {
    const strict = await open()
    const person = await strict.person()
    const cause = async (baseUrl: string) => {
      const tested = { provider: 'mine', baseUrl }
      return (await testProvider(strict.ctx, person.workspaceId, tested, never)).cause
    }
    const [open443, closed443] = ['http://127.0.0.1/v1', 'http://10.255.255.1/v1']
    expect([await cause(open443), await cause(closed443)]).toEqual(['unreachable', 'unreachable'])
    expect(await cause('http://192.0.2.1:8080/v1')).toMatch(/^(port|unreachable)$/)
  })

  describe('with a new key and no address', () => {
    const modelsPaths = {
      openai: ['/v1/models', 'authorization', 'Bearer sk-typed'],
      ollama: ['/v1/models', 'authorization', 'Bearer sk-typed'],
      anthropic: ['/v1/models?limit=1000', 'x-api-key', 'sk-typed'],
      google: ['/v1beta/models?pageSize=1000', 'x-goog-api-key', 'sk-typed'],
    } as const

    test.each(Object.entries(modelsPaths))(
      '%s is asked at its own address, and nothing is saved',
      async (provider, [path, header, value]) => {
        const unsaved = await open({
          OPENAI_BASE_URL: server.baseUrl,
          OLLAMA_BASE_URL: server.origin,
          ANTHROPIC_BASE_URL: server.origin,
          GOOGLE_BASE_URL: server.origin,
        })
        const person = await unsaved.person()
        const before = server.requests.length
        const tested = { provider, apiKey: 'sk-typed' }
        const answer = await testProvider(unsaved.ctx, person.workspaceId, tested, never)
        expect(answer.cause).not.toBe('not_configured')
        const [request] = server.requests.slice(before)
        expect(request?.path).toBe(path)
        expect(request?.headers[header]).toBe(value)
        const { items } = await listProviderSettings(unsaved.ctx, person.workspaceId, { limit: 9 })
        expect(items.find((one) => one.provider === provider)?.setBy).not.toBe('workspace')
      },
    )

    test.each(['mine', 'ollama'])(
      '%s, which has no address of its own, asks for it',
      async (provider) => {
        const tested = { provider, apiKey: 'sk-typed' }
        await expect(
          testProvider(instance.ctx, ada.workspaceId, tested, never),
        ).rejects.toMatchObject({ code: 'provider_address_required' })
      },
    )
  })

  test('a provider without a key or an address is reported as not configured', async () => {
    const result = await testProvider(
      instance.ctx,
      ada.workspaceId,
      { provider: 'anthropic' },
      never,
    )
    expect(result.cause).toBe('not_configured')
  })

  test('a saved key is tried at its saved address only', async () => {
    const person = await instance.person()
    const set = { provider: 'mine', baseUrl: server.baseUrl, apiKey: 'sk-right' }
    await setProvider(instance.ctx, person.workspaceId, set)
    const cause = async (baseUrl?: string) => {
      const tested = { provider: 'mine', ...(baseUrl === undefined ? {} : { baseUrl }) }
      return (await testProvider(instance.ctx, person.workspaceId, tested, never)).cause
    }
    expect(await cause()).toBeNull()
    expect(await cause(`${server.baseUrl}/`)).toBeNull()
    const before = server.requests.length
    expect(await cause(`${server.origin.replace('127.0.0.1', 'localhost')}/v1`)).toBe('key')
    const sent = server.requests.slice(before).map(({ headers }) => headers.authorization)
    expect(sent).toEqual([undefined])
  })
})
