import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { makeCaller, type Caller } from './chat-traffic.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'

/** The lease, and what a busy machine adds. */
const freeWithinMs = 7_000

cleansUp()

describeEngines('a process that is killed while it answers', (engine) => {
  test('frees its session within a few seconds', async () => {
    const slow = { reply: Array.from({ length: 600 }, (_, n) => `word${n} `), chunkMs: 100 }
    const script = (_: unknown, n: number) => (n === 0 ? slow : { reply: 'Hello' })
    const model = await startModelServer({ script })
    try {
      const environment = serviceEnvironment(engine.settings(), model)
      const caller = await makeCaller(environment)
      const first = await startParley(environment)
      const answer = await ask(first.origin, caller, null)
      const sessionId = answer.headers.get('x-chat-session-id')
      const reader = answer.body?.getReader()
      await reader?.read()
      // Longer than a lease, so that it has been renewed.
      while (performance.now() - answer.startedAt < 6_000) await reader?.read()
      first.signal('SIGKILL')
      const killedAt = performance.now()
      await first.finished
      const second = await startParley(environment)
      const next = await ask(second.origin, caller, sessionId)
      expect(next.status).toBe(200)
      await next.text()
      const healthyAfterMs = performance.now() - killedAt
      expect(healthyAfterMs).toBeLessThan(freeWithinMs + second.seconds * 1000)
      expect(model.requests).toHaveLength(2)
      const fault = 'kill -9 amid an answer: the next message of the same session'
      recordFault({ fault, engine: engine.name, tries: 2, lost: 0, failed: 1, healthyAfterMs })
    } finally {
      await model.stop()
    }
  })
})

async function ask(origin: string, { model, key }: Caller, sessionId: string | null) {
  const startedAt = performance.now()
  const response = await fetch(`${origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(sessionId === null ? {} : { 'x-chat-session-id': sessionId }),
    },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  return Object.assign(response, { startedAt })
}
