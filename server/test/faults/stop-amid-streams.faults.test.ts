import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { makeCaller } from './chat-traffic.ts'
import { answeredAfter, openStream } from './open-streams.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'

const count = 30
const words = Array.from({ length: 60 }, (_, n) => `word${n} `)
const whole = words.join('')

cleansUp()

describeEngines('SIGTERM amid streams', (engine) => {
  test.each([
    ['ends every answer within the grace period', '60', null],
    ['cuts off what is left after it, and stores all of it', '1', 'turn_aborted'],
  ])('%s', async (_, grace, errorCode) => {
    const script = () => ({ reply: words, chunkMs: 100 })
    const model = await startModelServer({ record: false, script })
    const environment = {
      ...serviceEnvironment(engine.settings(), model),
      SHUTDOWN_GRACE_SECONDS: grace,
    }
    const caller = await makeCaller(environment)
    const first = await startParley(environment)
    const streams = await Promise.all(
      Array.from({ length: count }, () => openStream(first.origin, caller)),
    )
    await until('text has arrived', () => streams.every((one) => one.text().length > 150))
    const stoppedAt = performance.now()
    first.signal('SIGTERM')
    expect((await first.finished).code).toBe(0)
    const second = await startParley(environment)
    const healthyAfterMs = await answeredAfter(second.origin, caller, stoppedAt)
    const ended = await Promise.all(streams.map((one) => one.ended))
    const failed = ended.filter((isWhole) => !isWhole).length
    expect(failed).toBe(errorCode === null ? 0 : count)
    const stored = await engine
      .database()
      .read.selectFrom('chat_messages')
      .select(['session_id', 'content', 'error_code'])
      .where('role', '=', 'assistant')
      .where(
        'session_id',
        'in',
        streams.map((one) => one.sessionId),
      )
      .execute()
    const answers = new Map(stored.map((row) => [row.session_id, row]))
    const lost = streams.filter((one) => {
      const answer = answers.get(one.sessionId)
      const content = answer?.content ?? ''
      return (
        answer?.error_code !== errorCode ||
        !whole.startsWith(content) ||
        !content.startsWith(one.text())
      )
    })
    expect(lost.map((one) => [one.text(), answers.get(one.sessionId)])).toEqual([])
    recordFault({
      fault: errorCode === null ? 'SIGTERM amid streams' : 'SIGTERM amid streams, grace of 1 s',
      engine: engine.name,
      tries: count,
      lost: lost.length,
      failed,
      healthyAfterMs,
    })
    second.signal('SIGTERM')
    await second.finished
    await model.stop()
  })
})
