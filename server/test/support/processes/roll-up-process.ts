import { readConfig } from '#config'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { rollUp, rollUpAnalytics } from '#features/analytics/index.ts'
import type { Context } from '#platform/context.ts'
import type { Database } from '#platform/db/database.ts'
import { openDatabase } from '#platform/db/open-database.ts'
import { createJobs } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { storeSession } from '#test/support/chat/chat-history.ts'
import type { DatabaseSettings } from '#test/support/databases/engines.ts'

/** The report of the process, as JSON on standard output. */
export interface RollUpReport {
  /** Passes of the run. Each moves the watermark once. */
  readonly passes: number
  /** Chats that were stored during the run. */
  readonly arrived: number
  /** The share of a core that the process used after the run, with its job runner active. */
  readonly idleShare: number
}

const flushMs = 5
/** More passes than a finite run needs: the run is aborted. */
const maxPasses = 200
const idleMs = 3_000

/**
 * A process on a database with slow flushes. It runs the analytics roll-up once while new chats
 * arrive, and then only its job runner. Arguments: database settings as JSON, and the milliseconds
 * by which its clock is ahead.
 */
const [settingsJson = '', aheadMs = ''] = process.argv.slice(2)
// The test that starts this process passes exactly these arguments.
const settings = JSON.parse(settingsJson) as DatabaseSettings
const log = pino({ level: 'silent' })
const fast = openDatabase(settings, log)
const clock = { now: () => Date.now() + Number(aheadMs) }
const run = new AbortController()
let passes = 0
const slow: Database = {
  ...fast,
  async write(unit, options) {
    passes += 1
    if (passes === maxPasses) run.abort()
    const result = await fast.write(unit, options)
    await sleep(flushMs)
    return result
  },
}
// The roll-up and its job runner use no other ports.
const ctx = { db: slow, clock, log, config: readConfig({}) } as Context

let arrived = 0
const chatting = new AbortController()
const arriving = chat()
await rollUp(ctx, run.signal)
chatting.abort()
await arriving

const jobs = createJobs(clock)
const runner = createJobRunner(ctx, jobs, [rollUpAnalytics])
const counted = passes
await runner.start()
await sleep(1_000)
const before = process.cpuUsage()
await sleep(idleMs)
const { user, system } = process.cpuUsage(before)
const idleShare = (user + system) / 1000 / idleMs
await runner.stop()
await fast.close()
const report: RollUpReport = { passes: counted, arrived, idleShare }
process.stdout.write(JSON.stringify(report))

async function chat(): Promise<void> {
  while (!chatting.signal.aborted) {
    const at = clock.now()
    const messages = [
      { role: 'user', at },
      { role: 'assistant', at },
    ] as const
    await storeSession(fast, { workspaceId: 'w', agentId: 'a', messages })
    arrived += 1
    await sleep(1)
  }
}
