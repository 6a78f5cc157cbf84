import { Agent, request as send, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { makeCaller, type Caller } from './chat-traffic.ts'
import { answeredAfter, openStreamWhenAccepted } from './open-streams.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'

const callers = 600
const words = Array.from({ length: 100 }, (_, n) => `word${n} `)

cleansUp()

/** Callers that send whole turns without a pause, each over a connection of its own. */
class Flood {
  answered = 0
  shed = 0
  readonly others = new Map<number, number>()
  readonly retryAfter = new Set<string | undefined>()
  longestRefusalMs = 0
  readonly #agent = new Agent({ keepAlive: true, maxSockets: Infinity })
  readonly #workers: Promise<void>[]
  #isOver = false

  constructor(origin: string, caller: Caller) {
    this.#workers = Array.from({ length: callers }, () => this.#work(origin, caller))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#workers)
    this.#agent.destroy()
  }

  async #work(origin: string, { model, key }: Caller): Promise<void> {
    const messages = [{ role: 'user', content: 'Quick' }]
    const body = JSON.stringify({ model, messages })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const options = { method: 'POST', agent: this.#agent, headers }
    while (!this.#isOver) {
      const beganAt = performance.now()
      const call = send(`${origin}/api/v1/chat/completions`, options).end(body)
      // The arguments of an event have no type: this one has the response.
      const [response] = (await once(call, 'response')) as [IncomingMessage]
      response.resume()
      await once(response, 'end')
      this.#count(response, performance.now() - beganAt)
    }
  }

  #count({ statusCode = 0, headers }: IncomingMessage, ms: number): void {
    if (statusCode === 200) this.answered += 1
    else if (statusCode === 503) {
      this.shed += 1
      this.retryAfter.add(headers['retry-after'])
      this.longestRefusalMs = Math.max(this.longestRefusalMs, ms)
    } else this.others.set(statusCode, (this.others.get(statusCode) ?? 0) + 1)
  }
}

describeEngines('a flood of requests', (engine) => {
  test('is refused early, what has begun ends, and the service recovers', async () => {
    const script = ({ body }: { body: object }) =>
      JSON.stringify(body).includes('Go on')
        ? { reply: words, chunkMs: 60 }
        : { reply: 'Quick answer.' }
    const model = await startModelServer({ record: false, script })
    const environment = {
      ...serviceEnvironment(engine.settings(), model),
      LOG_LEVEL: 'warn',
      CHAT_RATE_LIMIT: 'unlimited',
      CHAT_AGENT_RATE_LIMIT: 'unlimited',
      // So that one machine, which also runs the callers, can overload the service.
      SHED_EVENT_LOOP_DELAY_MS: '60',
      SHED_WAITING_REQUESTS: '200',
      READY_TIMEOUT_MS: '20000',
    }
    const caller = await makeCaller(environment)
    const service = await startParley(environment)
    // Without a flood, a machine with other work may be late for a moment as well.
    const opened = Array.from({ length: 10 }, () => openStreamWhenAccepted(service.origin, caller))
    const begun = (await Promise.all(opened)).map(({ stream }) => stream)
    const flood = new Flood(service.origin, caller)
    await until('requests are refused', () => flood.shed >= 1_000)
    for (const path of ['/healthz', '/readyz', '/login'])
      expect((await fetch(service.origin + path)).status, path).toBe(200)
    expect(await Promise.all(begun.map((one) => one.ended))).not.toContain(false)
    expect(begun.filter((one) => one.text() !== words.join(''))).toEqual([])
    await flood.stop()
    const healthyAfterMs = await answeredAfter(service.origin, caller, performance.now())
    expect(healthyAfterMs).toBeLessThan(25_000)
    expect([...flood.others]).toEqual([])
    expect([...flood.retryAfter]).toEqual(['2'])
    expect(flood.answered, 'requests that were accepted').toBeGreaterThan(0)
    const lines = service
      .log()
      .split('\n')
      .filter((line) => line.includes('overloaded'))
    expect(lines.length, 'lines of the log').toBeLessThan(flood.shed / 20)
    const stored = await engine
      .database()
      .read.selectFrom('chat_messages')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('content', '=', 'Quick answer.')
      .executeTakeFirstOrThrow()
    const lost = flood.answered + 1 - Number(stored.count)
    expect(lost).toBe(0)
    recordFault({
      fault: 'Overload: 600 callers without a pause',
      engine: engine.name,
      tries: flood.answered + flood.shed,
      lost,
      failed: flood.shed,
      healthyAfterMs,
    })
    await model.stop()
  })
})
