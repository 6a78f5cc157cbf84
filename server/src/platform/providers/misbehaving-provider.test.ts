import { afterEach, describe, expect, it } from 'vitest'
import {
  startMisbehavingModelServer,
  type Misbehaviour,
} from '#test/support/servers/misbehaving-model-server.ts'
import { collect, createTestModels, modelRequest } from '#test/support/servers/model-requests.ts'
import { ModelFailure, type ModelFailureReason } from '#platform/models/model.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanup) => cleanup()))
})

const timeouts = { connectTimeoutMs: 500, firstByteTimeoutMs: 150, idleTimeoutMs: 150 }

async function setUp(misbehaviour: Misbehaviour) {
  const server = await startMisbehavingModelServer(misbehaviour)
  const test = createTestModels({ origin: server.origin, ...timeouts })
  cleanups.push(() => server.stop(), test.close)
  return { server, ...test }
}

async function failureOf(call: Promise<unknown>): Promise<ModelFailure> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ModelFailure)
  // Checked by the line above.
  return error as ModelFailure
}

/** What a provider does, the resulting failure, and the text that a stream sent before it. */
const failures: [Misbehaviour, ModelFailureReason, string][] = [
  ['stalls before headers', 'timeout', ''],
  ['stalls before the first chunk', 'timeout', ''],
  ['stalls mid-stream', 'timeout', 'Half an'],
  ['cuts before headers', 'unreachable', ''],
  ['cuts mid-stream', 'bad_answer', 'Half an'],
  ['ends without a finish reason', 'bad_answer', 'Half an'],
  ['sends garbage', 'bad_answer', ''],
  ['sends bytes that are not HTTP', 'bad_answer', ''],
  ['sends a web page', 'bad_answer', ''],
  ['sends an empty object', 'bad_answer', ''],
  ['sends an error object mid-stream', 'bad_answer', 'Half an'],
  ['sends an error object with status 200', 'bad_answer', ''],
  ['sends a huge line', 'bad_answer', ''],
  ['answers 400', 'refused_request', ''],
  ['answers 401', 'rejected', ''],
  ['answers 403', 'rejected', ''],
  ['answers 404', 'refused_request', ''],
  ['answers 413', 'refused_request', ''],
  ['answers 422', 'refused_request', ''],
  ['answers 429 in seconds', 'limited', ''],
  ['answers 500', 'unreachable', ''],
  ['answers 502', 'unreachable', ''],
  ['answers 503', 'unreachable', ''],
  ['redirects', 'bad_answer', ''],
]

describe('A stream from a provider that', () => {
  it.each(failures)('%s fails as %s after "%s"', async (misbehaviour, reason, said) => {
    const { models, logged } = await setUp(misbehaviour)
    const { text, finish, error } = await collect(models.stream(modelRequest()))
    expect(error).toBeInstanceOf(ModelFailure)
    expect(error).toMatchObject({ reason })
    expect(text).toBe(said)
    expect(finish).toBeNull()
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain(reason)
    expect(logged[0]).not.toContain('sk-secret')
  })
})

describe('A whole answer from a provider that', () => {
  it.each(failures)('%s fails as %s', async (misbehaviour, reason) => {
    const { models, logged } = await setUp(misbehaviour)
    expect(await failureOf(models.complete(modelRequest()))).toMatchObject({ reason })
    expect(logged).toHaveLength(1)
    expect(logged[0]).not.toContain('sk-secret')
  })
})

describe('A stream is complete although its provider', () => {
  it.each<Misbehaviour>([
    'leaves out [DONE]',
    'leaves out the last blank line',
    'leaves out the finish reason',
    'answers a stream in one piece',
  ])('%s', async (misbehaviour) => {
    const { models } = await setUp(misbehaviour)
    expect(await collect(models.stream(modelRequest()))).toMatchObject({
      text: 'All of it.',
      finish: { finishReason: 'stop' },
      error: null,
    })
  })

  it('sends one byte per packet, half a character at a time', async () => {
    const { models } = await setUp('sends one byte per packet')
    const { text, error } = await collect(models.stream(modelRequest()))
    expect(error).toBeNull()
    expect(text).toBe('¿Qué? 日本 👩‍👩‍👧')
  })
})

describe('A rate limit', () => {
  it('in seconds is passed on exactly', async () => {
    const { models } = await setUp('answers 429 in seconds')
    expect((await failureOf(models.complete(modelRequest()))).retryAfterSeconds).toBe(7)
  })
  it('until a date is passed on in seconds', async () => {
    const { models } = await setUp('answers 429 with a date')
    const { retryAfterSeconds } = await failureOf(models.complete(modelRequest()))
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(28)
    expect(retryAfterSeconds).toBeLessThanOrEqual(31)
  })
})

it('A provider without a listening server, or with an unknown host name, is unreachable', async () => {
  const { server, models } = await setUp('answers 400')
  await server.stop()
  expect(await failureOf(models.complete(modelRequest()))).toMatchObject({ reason: 'unreachable' })
  cleanups.shift()
  const access = {
    provider: 'openai',
    apiKey: null,
    baseUrl: 'http://nowhere.invalid/v1',
    trusted: true,
  }
  expect(await failureOf(models.complete(modelRequest({ access })))).toMatchObject({
    reason: 'unreachable',
  })
})

it('A failure frees its connection: a provider that stalls keeps no sockets open', async () => {
  const { server, models } = await setUp('stalls mid-stream')
  await collect(models.stream(modelRequest()))
  await (
    await server.request(0)
  ).aborted
  expect(server.openSockets()).toBe(0)
})
