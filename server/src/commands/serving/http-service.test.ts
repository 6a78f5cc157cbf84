import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { Hono } from 'hono'
import { afterEach, describe, expect, test } from 'vitest'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { readConfig } from '#config'
import { createLogger } from '#platform/log.ts'
import { listen, type HttpService } from './http-service.ts'

const services: HttpService[] = []
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop(0)))
})

async function start(baseUrl?: string): Promise<HttpService> {
  const service = await listen({ ...readConfig({ BASE_URL: baseUrl }), port: 0 })
  services.push(service)
  service.serve(new Hono<HttpEnvironment>(), createLogger({ logLevel: 'silent' }))
  return service
}

/** The response to bytes that no client library would send. */
async function answerTo({ port }: HttpService, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.end(request)
  return await text(socket)
}

describe('a request that reaches no surface', () => {
  test.each([
    ['a malformed host', 'GET / HTTP/1.1\r\nHost: a b^\r\n\r\n'],
    ['no path', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['no HTTP', 'HELLO\r\n\r\n'],
  ])('with %s is answered 400 in JSON', async (_what, request) => {
    const answer = await answerTo(await start(), request)
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer).toMatch(/\r\ncontent-type: application\/json\r\n/i)
    expect(answer).toMatch(/\r\n\r\n\{"error":"Bad Request"\}$/)
  })

  test('with endless headers gets status 431 in JSON', async () => {
    const request = `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`
    const answer = await answerTo(await start(), request)
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
    expect(answer).toMatch(/\r\n\r\n\{"error":"Request Header Fields Too Large"\}$/)
  })
})

describe('strict transport security', () => {
  test.each([
    ['https://parley.example/agents', 'max-age=31536000'],
    ['http://parley.example', null],
    [undefined, null],
  ])('with BASE_URL %s is %s', async (baseUrl, header) => {
    const { port } = await start(baseUrl)
    for (const path of ['/', '/nowhere']) {
      const { headers } = await fetch(`http://127.0.0.1:${port}${path}`)
      expect(headers.get('strict-transport-security')).toBe(header)
    }
  })
})

test.each([
  ['nothing was sent', ''],
  ['half of the headers were sent', 'GET / HTTP/1.1\r\nHost: localhost\r\n'],
  ['another request was begun', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\n'],
])('a service that stops does not wait for a connection on which %s', async (_what, sent) => {
  const service = await start()
  const socket = connect(service.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  socket.write(sent)
  await fetch(`http://127.0.0.1:${service.port}/`)
  const startedAt = performance.now()
  expect(await service.stop(60_000)).toBe(0)
  expect(performance.now() - startedAt).toBeLessThan(5_000)
})
