import { createServer } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '#test/support/free-port.ts'
import { describeInstance, type TestInstance, type Person } from '#test/support/test-instance.ts'
import { startServer, type ModelServer } from '#test/support/servers/model-server.ts'
import { listModels, listProviderSettings, setProvider, testProvider } from './index.ts'

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

  describe('an address that may not be dialled gives one answer', () => {
    let strict: TestInstance
    let person: Person

    beforeAll(async () => {
      strict = await open()
      person = await strict.person()
    })

    const refused = [
      ['a private name', 'http://localhost/v1'],
      ['an unknown name', 'http://nothing.invalid/v1'],
      ['a name in a private address', 'http://[::1]/v1'],
      ['a private address with a server', 'http://127.0.0.1/v1'],
      ['a private address without one', 'http://10.255.255.1/v1'],
    ] as const

    test.each(refused)('%s', async (_, baseUrl) => {
      for (const more of [{}, { model: 'some-model' }]) {
        const tested = { provider: 'mine', baseUrl, ...more }
        const result = await testProvider(strict.ctx, person.workspaceId, tested, never)
        expect(result).toMatchObject({ cause: 'unreachable', modelCount: null })
      }
    })

    test.each(refused)(
      '%s, also when it is saved and its models are listed',
      async (_, baseUrl) => {
        const { workspaceId } = await strict.person()
        await setProvider(strict.ctx, workspaceId, { provider: 'mine', baseUrl })
        const { problems } = await listModels(strict.ctx, workspaceId, { limit: 9 })
        expect(problems).toEqual([{ provider: 'mine', cause: 'unreachable' }])
      },
    )

    test('after the same time, whether its name is private or unknown', async () => {
      const timeOf = async (baseUrl: string) => {
        const startedAt = performance.now()
        const tested = { provider: 'mine', baseUrl }
        await testProvider(strict.ctx, person.workspaceId, tested, never)
        return performance.now() - startedAt
      }
      expect(await timeOf('http://localhost/v1')).toBeGreaterThan(400)
      expect(await timeOf('http://nothing.invalid/v1')).toBeGreaterThan(400)
    })

    test('a port that may not be used is refused before its name is looked up', async () => {
      for (const host of ['localhost', 'nothing.invalid', '127.0.0.1', '192.0.2.1']) {
        const tested = { provider: 'mine', baseUrl: `http://${host}:8080/v1` }
        const { cause } = await testProvider(strict.ctx, person.workspaceId, tested, never)
        expect(cause).toBe('port')
      }
    })
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

  test('an address that is given up is not asked: the environment’s settings or the new key are tested', async () => {
    const { ctx, person } = await open({
      OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
      OPENAI_BASE_URL: `${server.origin}/environment/v1`,
      OPENAI_API_KEY: 'sk-environment',
    })
    const { workspaceId } = await person()
    const saved = { provider: 'openai', baseUrl: server.baseUrl, apiKey: 'sk-right' }
    await setProvider(ctx, workspaceId, saved)
    const before = server.requests.length
    for (const key of [{}, { apiKey: 'sk-typed' }])
      await testProvider(ctx, workspaceId, { provider: 'openai', baseUrl: null, ...key }, never)
    const sent = server.requests.slice(before)
    expect(sent.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/environment/v1/models', 'Bearer sk-environment'],
      ['/environment/v1/models', 'Bearer sk-typed'],
    ])
  })
})
