import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { makeCaller, Traffic, type Acknowledged } from './chat-traffic.ts'
import { kill } from './kill.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'
import { expectAllStored } from './stored-turns.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? 20)

describeEngines('kill -9 during traffic', (engine) => {
  cleansUp()

  test(
    `${rounds} times: every acknowledged turn is stored and every session is readable`,
    { timeout: 600_000 + rounds * 15_000 },
    async () => {
      const words = Array.from({ length: 20 }, (_, n) => `word${n} `)
      const model = await startModelServer({
        record: false,
        script: (_, n) => ({ reply: words, firstByteMs: n % 7, chunkMs: 1 }),
      })
      const environment = serviceEnvironment(engine.settings(), model)
      const caller = await makeCaller(environment)
      const acknowledged: Acknowledged[] = []
      let [failed, healthyAfterMs] = [0, 0]
      for (let round = 0; round < rounds; round++) {
        const startedAt = performance.now()
        const service = await startParley(environment)
        const traffic = new Traffic(service.origin, caller, 16)
        await traffic.untilMore(1)
        healthyAfterMs = Math.max(healthyAfterMs, performance.now() - startedAt)
        await until('turns are answered', () => traffic.acknowledged.length >= 10)
        await sleep(Math.random() * 500)
        // Every kill interrupts a turn, regardless of the machine's speed.
        await until('a turn waits for its model', () => model.answering() > 0)
        await kill(service, engine.database())
        await traffic.stop()
        failed += traffic.failed
        acknowledged.push(...traffic.acknowledged)
        expect([...traffic.refusals.keys()], 'refusals').toEqual([])
        await expectAllStored(engine.database(), acknowledged)
      }
      const fault = 'kill -9 under load, and a restart'
      const tries = acknowledged.length + failed
      recordFault({ fault, engine: engine.name, tries, lost: 0, failed, healthyAfterMs })
      await model.stop()
    },
  )

  test('a session whose turn was killed can be continued 15 seconds later', async () => {
    const db = engine.database()
    const model = await startModelServer({
      record: false,
      script: (_, n) => ({ reply: 'There.', firstByteMs: n === 0 ? 60_000 : 0 }),
    })
    const environment = serviceEnvironment(engine.settings(), model)
    const caller = await makeCaller(environment)
    const sessionId = randomUUID()
    const say = (origin: string) =>
      fetch(`${origin}/api/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${caller.key}`,
          'content-type': 'application/json',
          'x-chat-session-id': sessionId,
        },
        body: JSON.stringify({
          model: caller.model,
          messages: [{ role: 'user', content: 'Are you there?' }],
        }),
      })
    const first = await startParley(environment)
    const cut = say(first.origin).then(
      () => 'answered',
      () => 'cut',
    )
    await until('the turn waits for its model', () => model.answering() > 0)
    await kill(first, db)
    expect(await cut).toBe('cut')
    const { lease_until } = await db.read
      .selectFrom('chat_sessions')
      .select('lease_until')
      .where('id', '=', sessionId)
      .executeTakeFirstOrThrow()
    expect(lease_until - Date.now(), 'time until the lease expires').toBeLessThanOrEqual(15_000)
    const second = await startParley(environment)
    const startedAt = performance.now()
    const response = await say(second.origin)
    expect(response.status).toBe(200)
    // Includes the time that a busy machine needs for a turn.
    expect(performance.now() - startedAt).toBeLessThan(120_000)
    await response.arrayBuffer()
    await expectAllStored(db, [])
    await model.stop()
  })

  test('the check for lost turns finds a turn that was not stored', async () => {
    const db = engine.database()
    const lost = { sessionId: 'none', said: 'Hello', answer: 'Hello.' }
    await expect(expectAllStored(db, [lost])).rejects.toThrow('acknowledged turns')
    await db.write((tx) => tx.deleteFrom('chat_messages').where('seq', '=', 1).execute())
    await expect(expectAllStored(db, [])).rejects.toThrow('session ')
  })
})
