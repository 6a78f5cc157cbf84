import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { cleansUp } from '#test/support/processes/parley-process.ts'
import { recordFault } from './record-fault.ts'
import { underTraffic } from './under-traffic.ts'

cleansUp()

describeEngines('a clock that is moved while the service runs', (engine) => {
  test('a day forwards and two days back fail no turn', async () => {
    let healthyAfterMs = 0
    const traffic = await underTraffic(
      engine.settings(),
      async ({ service, traffic }) => {
        for (const _ of moves) {
          service.signal('SIGUSR2')
          healthyAfterMs = Math.max(healthyAfterMs, await traffic.untilMore(1))
          await traffic.untilMore(100)
        }
      },
      { NODE_OPTIONS: `--import=${movedClock}` },
    )
    expect(traffic.failed).toBe(0)
    recordFault({
      fault: 'The clock moved a day forwards and two days back',
      engine: engine.name,
      tries: traffic.tries,
      lost: 0,
      failed: 0,
      healthyAfterMs,
    })
  })
})

const day = 86_400_000
/** How far the clock is ahead after each signal. */
const moves = [day, -day, 0]

/** A module that moves the clock of a process at each SIGUSR2. */
const movedClock = `data:text/javascript,${encodeURIComponent(`
  const real = Date.now
  const moves = ${JSON.stringify(moves)}
  let ahead = 0
  Date.now = () => real() + ahead
  process.on('SIGUSR2', () => { ahead = moves.shift() ?? 0 })
`)}`
