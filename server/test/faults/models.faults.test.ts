import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { startServer, type RecordedRequest } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { callOperation } from './call-operation.ts'
import { answeredAfter, openStream } from './open-streams.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'

const tries = 20

/** A model that does nothing for so long is too slow. */
const shortMs = 1_500
/** A turn of a service that is not busy, on a machine that is very busy. */
const soonMs = 50_000
/** A timeout that a busy machine does not reach. */
const longMs = 60_000

/** What the model `openai/NAME` does. */
const models = {
  async slow(response: ServerResponse) {
    await sleep(4 * shortMs)
    end(response)
  },
  async 'never-ending'(response: ServerResponse) {
    begin(response)
    const piece = chunk('word '.repeat(50_000))
    while (!response.destroyed) if (!response.write(piece)) await sleep(1)
  },
  /** Pauses for good. */
  stalling(response: ServerResponse) {
    begin(response)
    response.write(chunk('Half an '))
  },
  resetting(response: ServerResponse) {
    begin(response)
    response.write(chunk('Half an '), () => response.socket?.resetAndDestroy())
  },
  healthy: end,
} as const

type Fault = keyof typeof models

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
}

function chunk(content: string): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`
}

function end(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const message = { content: 'Here.' }
  response.end(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }))
}

async function answer(response: ServerResponse, { body }: RecordedRequest): Promise<void> {
  const model = String(body.model)
  await models[model in models ? (model as Fault) : 'healthy'](response)
}

cleansUp()

describeEngines('a model', (engine) => {
  test.each([
    ['slow', 'Model that is slow: no answer in time', '', 'model_timeout'],
    ['never-ending', 'Model that never ends', 'word '.repeat(1_000), 'model_bad_answer'],
    ['stalling', 'Model that stalls within an answer', 'Half an ', 'model_timeout'],
    [
      'resetting',
      'Provider that resets its connection within an answer',
      'Half an ',
      'model_bad_answer',
    ],
  ] as const)(
    'that is %s fails its own turns only, and what it had sent is stored',
    async (name, fault, beginning, errorCode) => {
      const count = name === 'never-ending' ? 2 : tries
      const server = await startServer(answer, false)
      const environment = {
        ...serviceEnvironment(engine.settings()),
        OPENAI_API_KEY: 'test',
        OPENAI_BASE_URL: server.baseUrl,
        MODEL_FIRST_BYTE_TIMEOUT_MS: String(name === 'slow' ? shortMs : longMs),
        MODEL_IDLE_TIMEOUT_MS: String(name === 'stalling' ? shortMs : longMs),
      }
      const callerOf = async (model: string) => {
        const agent = await callOperation(environment, 'create_app', { name: model, model })
        const made = { app_id: agent.id, name: 'faults' }
        const { key } = await callOperation(environment, 'create_chat_key', made)
        return { id: String(agent.id), model: String(agent.app_name_id), key: String(key) }
      }
      const [faulty, healthy] = [await callerOf(`openai/${name}`), await callerOf('openai/healthy')]
      const service = await startParley(environment)
      const streams = Array.from({ length: count }, () =>
        openStream(service.origin, faulty).catch(String),
      )
      // Others are answered meanwhile.
      expect(await answeredAfter(service.origin, healthy, performance.now())).toBeLessThan(soonMs)
      const opened = await Promise.all(streams)
      for (const stream of opened)
        if (typeof stream === 'string') expect(stream).toBe('Error: refused with 504')
        else expect(await stream.ended).toBe(false)
      const endedAt = performance.now()
      const healthyAfterMs = await answeredAfter(service.origin, healthy, endedAt)
      const stored = await engine
        .database()
        .read.selectFrom('chat_messages')
        .innerJoin('chat_sessions', 'chat_sessions.id', 'chat_messages.session_id')
        .select(['content', 'error_code'])
        .where('chat_sessions.agent_id', '=', faulty.id)
        .where('role', '=', 'assistant')
        .execute()
      expect(stored).toHaveLength(count)
      const lost = stored.filter(({ content }) => !content.startsWith(beginning)).length
      expect(lost).toBe(0)
      expect(new Set(stored.map((row) => row.error_code))).toEqual(new Set([errorCode]))
      recordFault({ fault, engine: engine.name, tries: count, lost, failed: count, healthyAfterMs })
      service.signal('SIGTERM')
      expect((await service.finished).code).toBe(0)
      await server.stop()
    },
  )
})
