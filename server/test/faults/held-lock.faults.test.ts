import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { describeEngines } from '#test/support/databases/engines.ts'
import { cleansUp } from '#test/support/processes/parley-process.ts'
import { lockWrites } from '#test/support/databases/write-lock.ts'
import { recordFault } from './record-fault.ts'
import { underTraffic } from './under-traffic.ts'

const heldMs = 60_000
/**
 * The waits of the units of one turn; less than the lock is held. On PostgreSQL, each waits for a connection
 * and a lock; on SQLite, they share one wait.
 */
const bounds = { sqlite: 25_000, postgres: 45_000 } as const

const limit = { timeout: heldMs + 300_000 }

cleansUp()

describeEngines('a lock that another program holds for a minute', (engine) => {
  test(
    'turns get 503 meanwhile, and the service answers as soon as it is released',
    limit,
    async () => {
      const boundMs = bounds[engine.name]
      let healthyAfterMs = 0
      const traffic = await underTraffic(engine.settings(), async ({ service, traffic }) => {
        const release = await lockWrites(engine.settings(), 'chat_sessions, chat_messages')
        const lockedAt = performance.now()
        await traffic.untilRefused(1)
        expect(performance.now() - lockedAt).toBeLessThan(boundMs)
        expect((await fetch(`${service.origin}/healthz`)).status).toBe(200)
        await sleep(heldMs - (performance.now() - lockedAt))
        await release()
        healthyAfterMs = await traffic.untilMore(1)
        expect(healthyAfterMs).toBeLessThan(15_000)
        await traffic.untilMore(50)
      })
      expect(traffic.broken).toBe(0)
      expect([...traffic.refusals.keys()]).toEqual([503])
      expect(traffic.slowestRefusalMs).toBeLessThan(boundMs)
      recordFault({
        fault: 'A lock held by another program for a minute',
        engine: engine.name,
        tries: traffic.tries,
        lost: 0,
        failed: traffic.failed,
        healthyAfterMs,
      })
    },
  )
})
