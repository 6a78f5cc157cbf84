import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { minuteMs } from '#kernel/durations.ts'
import { storeSession } from '#test/support/chat/chat-history.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import type { RollUpReport } from '#test/support/processes/roll-up-process.ts'

const run = promisify(execFile)
const script = join(import.meta.dirname, '../../../test/support/processes/roll-up-process.ts')

describeEngines('the analytics roll-up', (engine) => {
  test('ends while chats arrive, on a database that takes 5 ms to flush, and then rests', async () => {
    const chats = 6_000
    const at = Date.now()
    for (let stored = 0; stored < chats; stored += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          storeSession(engine.database(), {
            workspaceId: 'w',
            agentId: 'a',
            messages: [
              { role: 'user', at: at - stored - n },
              { role: 'assistant', at: at - stored - n },
            ],
          }),
        ),
      )
    const settings = JSON.stringify(engine.settings())
    const { stdout } = await run(process.execPath, [script, settings, String(5 * minuteMs)])
    // The process prints exactly this.
    const { passes, arrived, idleShare } = JSON.parse(stdout) as RollUpReport
    const { sum } = engine.database().read.fn
    const { counted } = await engine
      .database()
      .read.selectFrom('analytics_figures')
      .select(sum<number>('sessions').as('counted'))
      .where('span_minutes', '=', 1440)
      .executeTakeFirstOrThrow()
    expect(Number(counted)).toBe(chats)
    expect(arrived).toBeGreaterThan(0)
    // 12,000 messages in units of at most 500 rows, and the pass that finds the oldest.
    expect(passes).toBeLessThanOrEqual(30)
    expect(idleShare).toBeLessThan(0.01)
  }, 60_000)
})
