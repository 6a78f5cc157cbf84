import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/engines.ts'
import { startModelServer } from '#test/support/model-server.ts'
import { cleansUp, startParley } from '#test/support/parley-process.ts'
import { makeCaller, Traffic, type Acknowledged } from './chat-traffic.ts'
import { serviceEnvironment } from './service-environment.ts'
import { expectAllStored } from './stored-turns.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? 20)

describeEngines('kill -9 in the middle of traffic', (engine) => {
  cleansUp()

  test(
    `${rounds} times: every acknowledged turn is there and every session is readable`,
    { timeout: 60_000 + rounds * 15_000 },
    async () => {
      const words = Array.from({ length: 20 }, (_, n) => `word${n} `)
      const model = await startModelServer({
        record: false,
        script: (_, n) => ({ reply: words, firstByteMs: n % 7, chunkMs: 1 }),
      })
      const environment = serviceEnvironment(engine.settings(), model)
      const caller = await makeCaller(environment)
      const acknowledged: Acknowledged[] = []
      let broken = 0
      // Else too few kills hit turns, and the test shows nothing.
      const showsNothing = () => acknowledged.length <= rounds * 5 || broken <= rounds
      for (let round = 0; round < rounds || (showsNothing() && round < rounds + 10); round++) {
        const service = await startParley(environment)
        const traffic = new Traffic(service.baseUrl, caller, 16)
        // More rounds, and longer ones, where a busy machine got to too few turns.
        await sleep((200 + Math.random() * 500) * Math.max(1, round - rounds + 2))
        service.signal('SIGKILL')
        await service.finished
        await traffic.stop()
        acknowledged.push(...traffic.acknowledged)
        broken += traffic.broken
        expect([...traffic.refusals.keys()], 'refusals').toEqual([])
        await expectAllStored(engine.database(), acknowledged)
      }
      await model.stop()
      expect(showsNothing(), 'too few kills hit turns').toBe(false)
    },
  )

  test('a session whose turn was killed can be gone on with 15 seconds later', async () => {
    const model = await startModelServer({
      record: false,
      script: (_, n) => ({ reply: 'There.', firstByteMs: n === 0 ? 60_000 : 0 }),
    })
    const environment = serviceEnvironment(engine.settings(), model)
    const caller = await makeCaller(environment)
    const sessionId = randomUUID()
    const say = (baseUrl: string) =>
      fetch(`${baseUrl.replace('localhost', '127.0.0.1')}/api/v1/chat/completions`, {
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
    const cut = say(first.baseUrl).then(
      () => 'answered',
      () => 'cut',
    )
    await sleep(1_000)
    first.signal('SIGKILL')
    expect(await cut).toBe('cut')
    const second = await startParley(environment)
    const startedAt = performance.now()
    const response = await say(second.baseUrl)
    expect(response.status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(30_000)
    await response.arrayBuffer()
    await expectAllStored(engine.database(), [])
    await model.stop()
  })

  test('what looks for lost turns finds one that was not stored', async () => {
    const db = engine.database()
    const lost = { sessionId: 'none', said: 'Hello', answer: 'Hello.' }
    await expect(expectAllStored(db, [lost])).rejects.toThrow('acknowledged turns')
    await db.write((tx) => tx.deleteFrom('chat_messages').where('seq', '=', 1).execute())
    await expect(expectAllStored(db, [])).rejects.toThrow('session ')
  })
})
