import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { callOperation } from './call-operation.ts'
import { makeCaller } from './chat-traffic.ts'
import { openStream, type OpenStream } from './open-streams.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'

/** Pieces are stored every second; the rest is for the write and a busy machine. */
const maxLostMs = 2_000
/** The lease, the look for it, and the start of a process on SQLite. */
const recoveredWithinMs = 20_000

const words = Array.from({ length: 100 }, (_, n) => `word${n} `)

cleansUp()

describeEngines('kill -9 of a process amid streams', (engine) => {
  test('every session shows the question and what its client saw a second before', async () => {
    const model = await startModelServer({
      record: false,
      script: () => ({ reply: words, chunkMs: 80 }),
    })
    const environment = serviceEnvironment(engine.settings(), model)
    const caller = await makeCaller(environment)
    const isShared = engine.name === 'postgres'
    const first = await startParley(environment)
    const second = isShared ? await startParley(environment) : null
    const opened = (origin: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => openStream(origin, caller)))
    const cut = await opened(first.origin, 12)
    const kept = second === null ? [] : await opened(second.origin, 4)
    await until('half of the text has arrived', () => cut.every((one) => one.text().length > 350))
    const killedAt = performance.now()
    first.signal('SIGKILL')
    await first.finished
    if (second === null) await startParley(environment)
    const answers = async () =>
      await engine
        .database()
        .read.selectFrom('chat_messages')
        .select(['session_id', 'content', 'error_code'])
        .where('role', '=', 'assistant')
        .where(
          'session_id',
          'in',
          cut.map((one) => one.sessionId),
        )
        .execute()
    await until('every session has an answer', async () => (await answers()).length === 12)
    const healthyAfterMs = performance.now() - killedAt
    expect(healthyAfterMs).toBeLessThan(recoveredWithinMs)
    const stored = new Map((await answers()).map((row) => [row.session_id, row]))
    const isLost = (one: OpenStream) => {
      const content = stored.get(one.sessionId)?.content ?? ''
      return (
        !words.join('').startsWith(content) || !content.startsWith(one.textAt(killedAt - maxLostMs))
      )
    }
    expect(cut.filter(isLost).map((one) => [one.text(), stored.get(one.sessionId)])).toEqual([])
    expect(new Set([...stored.values()].map((row) => row.error_code))).toEqual(
      new Set(['interrupted']),
    )
    expect(await Promise.all(cut.map((one) => one.ended))).not.toContain(true)
    expect(await Promise.all(kept.map((one) => one.ended))).not.toContain(false)
    const shown = await callOperation(environment, 'get_conversation', {
      session_id: cut[0]?.sessionId,
    })
    expect(shown.messages.items).toMatchObject([
      { role: 'user', content: 'Go on' },
      { role: 'assistant', error_code: 'interrupted' },
    ])
    const left = engine.database().read.selectFrom('partial_answers').select('message_id')
    expect(await left.execute()).toEqual([])
    recordFault({
      fault: isShared
        ? 'kill -9 of one of two processes amid streams'
        : 'kill -9 amid streams, and a restart',
      engine: engine.name,
      tries: cut.length + kept.length,
      lost: 0,
      failed: cut.length,
      healthyAfterMs,
    })
    await model.stop()
  })
})
