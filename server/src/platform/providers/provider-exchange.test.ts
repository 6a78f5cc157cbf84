import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { collect, createTestModels, modelRequest } from '#test/support/servers/model-requests.ts'
import { startServer, type ModelServer } from '#test/support/servers/model-server.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

async function setUp(server: ModelServer) {
  const test = createTestModels({ origin: server.origin })
  cleanups.push(() => server.stop(), test.close)
  return test
}

describe('A call is retried', () => {
  it.each([502, 503])('after %i, and its second answer counts', async (status) => {
    const server = await startServer((response, _request, n) => {
      response.writeHead(n === 0 ? status : 200, { 'content-type': 'application/json' })
      response.end('{"choices":[{"message":{"content":"second"},"finish_reason":"stop"}]}')
    })
    const { models } = await setUp(server)
    expect((await models.complete(modelRequest())).text).toBe('second')
    expect(server.requests).toHaveLength(2)
  })

  it('at most twice', async () => {
    const server = await startServer((response) => {
      response.writeHead(503)
      response.end('busy')
    })
    const { models } = await setUp(server)
    await expect(models.complete(modelRequest())).rejects.toMatchObject({ reason: 'unreachable' })
    expect(server.requests).toHaveLength(3)
  })

  it('when the server closed a kept-alive connection', async () => {
    const server = await startServer((response, _request, n) => {
      if (n === 1) return void response.socket?.destroy()
      response.setHeader('content-type', 'application/json')
      response.end('{"choices":[{"message":{"content":"here"},"finish_reason":"stop"}]}')
    })
    const { models } = await setUp(server)
    await models.complete(modelRequest())
    await sleep(10)
    expect((await models.complete(modelRequest())).text).toBe('here')
    expect(server.requests).toHaveLength(3)
  })

  it('never after the first byte of an answer', async () => {
    const server = await startServer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[{"delta":{"content":"Half"}}]}\n\n', () =>
        response.socket?.destroy(),
      )
    })
    const { models } = await setUp(server)
    const { text, error } = await collect(models.stream(modelRequest()))
    expect(text).toBe('Half')
    expect(error).toMatchObject({ reason: 'bad_answer' })
    expect(server.requests).toHaveLength(1)
  })

  it.each([429, 500, 504, 400])('never after %i', async (status) => {
    const server = await startServer((response) => {
      response.writeHead(status)
      response.end()
    })
    const { models } = await setUp(server)
    await expect(models.complete(modelRequest())).rejects.toThrow()
    expect(server.requests).toHaveLength(1)
  })

  it('never after 503 with a long Retry-After', async () => {
    const server = await startServer((response) => {
      response.writeHead(503, { 'retry-after': '30' })
      response.end()
    })
    const { models } = await setUp(server)
    await expect(models.complete(modelRequest())).rejects.toMatchObject({ retryAfterSeconds: 30 })
    expect(server.requests).toHaveLength(1)
  })
})
