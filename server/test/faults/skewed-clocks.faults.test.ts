import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { makeCaller, type Caller } from './chat-traffic.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'

const answerMs = 3_000

cleansUp()

// Skipped where npm has no binaries for the platform; global-setup.ts explains the fix once.
describe.skipIf(inject('postgresUrl') === '')('two processes whose clocks differ', () => {
  let settings: DatabaseSettings

  beforeEach(async () => {
    settings = await makeDatabase('postgres')
  })
  afterEach(() => dropDatabase(settings))

  test.each([30, -30, 86_400, -86_400])(
    'by %i s answer in one session one after another',
    async (seconds) => {
      const script = () => ({ reply: ['Hello ', 'there'], chunkMs: answerMs / 2 })
      const model = await startModelServer({ script })
      try {
        const environment = serviceEnvironment(settings, model)
        const caller = await makeCaller(environment)
        const [exact, skewed] = await Promise.all([
          startParley(environment),
          startParley({ ...environment, NODE_OPTIONS: `--import=${clockAheadBy(seconds)}` }),
        ])
        const { sessionId } = await ask(exact.origin, caller, null)
        const began = performance.now()
        const both = [exact, skewed].map(async ({ origin }, n) => {
          if (n === 1) await model.request(1)
          await ask(origin, caller, sessionId)
        })
        await Promise.all(both)
        expect(performance.now() - began).toBeGreaterThan(2 * answerMs * 0.9)
        recordFault({
          fault: 'Clocks of two processes that differ by up to a day',
          engine: 'postgres',
          tries: 3,
          lost: 0,
          failed: 0,
          healthyAfterMs: 0,
        })
      } finally {
        await model.stop()
      }
    },
  )
})

/** A module that moves the clock of a process. */
function clockAheadBy(seconds: number): string {
  const code = `const real = Date.now; Date.now = () => real() + ${seconds * 1000}`
  return `data:text/javascript,${encodeURIComponent(code)}`
}

async function ask(origin: string, { model, key }: Caller, sessionId: string | null) {
  const response = await fetch(`${origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(sessionId === null ? {} : { 'x-chat-session-id': sessionId }),
    },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(response.status).toBe(200)
  await response.text()
  return { sessionId: response.headers.get('x-chat-session-id') }
}
