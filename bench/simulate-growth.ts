/**
 * What turns leave behind: rows and bytes by table and index, log, dead rows, connections and memory.
 *
 *   node bench/simulate-growth.ts sqlite|postgres [turns] [--seed 1] [--days 1] [--json FILE]
 *
 * 100,000 turns are a hundredth of ten million a day: one simulated day of 50 agents, through the
 * statements of turns and the jobs that follow them, without HTTP and without a model. With more days, all
 * agents keep their conversations for one day: the size after each day shows whether retention leaves space unused.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import pino from 'pino'
import { readConfig } from '../server/src/config.ts'
import { createAgent } from '../server/src/features/agents/index.ts'
import {
  compareUsage,
  deleteOutdated,
  rollUpAnalytics,
} from '../server/src/features/analytics/index.ts'
import { sealAuditLog, signedDatabase } from '../server/src/features/audit/index.ts'
import { indexConversations } from '../server/src/features/conversations/index.ts'
import { createUser } from '../server/src/features/identity/index.ts'
import { createBoundedWorkers } from '../server/src/platform/bounded-workers/create-bounded-workers.ts'
import { migrate, openDatabase } from '../server/src/platform/db/open-database.ts'
import { createVault } from '../server/src/platform/vault.ts'
import { startPostgres } from '../server/test/support/databases/embedded-postgres.ts'
import { measureGrowth, printGrowth, startingPoint } from './growth/sizes.ts'
import { dayMs, runDay, type SimulatedAgent } from './growth/day.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    days: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
})
const [engine = 'sqlite', count = '100000'] = positionals
const turns = Number(count)
const days = Number(options.days)
const agentCount = 50
const agentsPerWorkspace = 5
const log = pino({ level: 'warn' })

type Bench = Parameters<typeof rollUpAnalytics.run>[0] & Parameters<typeof sealAuditLog.run>[0]

async function runJobs(ctx: Bench, dayEndsAt: number): Promise<void> {
  const run = { id: '', attempt: 1, isLast: false, signal: new AbortController().signal }
  // What is younger than some minutes is left to the next run.
  const later = { ...ctx, clock: { now: () => dayEndsAt + dayMs / 24 } }
  for (const job of [rollUpAnalytics, indexConversations, compareUsage, sealAuditLog])
    await job.run(later, {}, run)
}

/** Each day, the conversations of the day before are deleted. */
async function simulateRetention(ctx: Bench, agents: readonly SimulatedAgent[]): Promise<void> {
  console.log(
    '| Day | Conversations | Their tables and indexes, MB | Everything, MB |\n|---|---:|---:|---:|',
  )
  for (let day = 1; day <= days; day += 1) {
    const begunAt = ctx.clock.now() - (days - day + 1) * dayMs
    await runDay(ctx, agents, { turns, begunAt, seed: Number(options.seed) + day })
    await runJobs(ctx, begunAt + dayMs)
    await deleteOutdated({ ...ctx, clock: { now: () => begunAt + dayMs } })
    // As autovacuum does within a real day.
    if (ctx.db.engine === 'postgres') await sql`vacuum`.execute(ctx.db.maintain)
    const { relations } = await startingPoint(ctx.db)
    const sizeOf = (some: typeof relations) =>
      (some.reduce((sum, { bytes }) => sum + Number(bytes), 0) / 1e6).toFixed(1)
    const own = relations.filter(({ table }) => conversationTables.test(table))
    const rows = relations.find(({ table, index }) => table === 'chat_sessions' && index === null)
    console.log(`| ${day} | ${rows?.rows} | ${sizeOf(own)} | ${sizeOf(relations)} |`)
  }
}

const conversationTables = /^(chat_sessions|chat_messages|conversation_)/

async function simulate(settings: Parameters<typeof openDatabase>[0]): Promise<void> {
  await migrate(settings, log)
  const endsAt = Date.now()
  const clock = { now: () => endsAt }
  const vault = createVault('5'.repeat(64))
  const db = signedDatabase(openDatabase(settings, log), vault)
  const config = readConfig({})
  const ctx = { db, clock, log, vault, config, workers: createBoundedWorkers(config) }
  try {
    const agents: SimulatedAgent[] = []
    for (let n = 0; n < agentCount; n += agentsPerWorkspace) {
      const person = { email: `owner-${n}@example.com`, name: 'Owner' }
      const { user, workspaceId } = await createUser(ctx, person)
      for (let nth = 0; nth < agentsPerWorkspace; nth++) {
        const retention = days > 1 ? { retention_days: 1 } : {}
        const wanted = { name: `Agent ${n + nth}`, model: 'local/extractive', ...retention }
        const agent = await createAgent(ctx, { userId: user.id, workspaceId }, wanted)
        agents.push({ workspaceId, agentId: agent.id, keyId: agent.id, userId: user.id })
      }
    }
    const before = await startingPoint(db)
    const began = performance.now()
    if (days > 1) return await simulateRetention(ctx, agents)
    await runDay(ctx, agents, { turns, begunAt: endsAt - dayMs, seed: Number(options.seed) })
    const turnsMs = performance.now() - began
    await runJobs(ctx, endsAt)
    const growth = await measureGrowth(db, { before, turns, turnsMs })
    printGrowth(growth)
    if (options.json !== undefined)
      await writeFile(options.json, `${JSON.stringify(growth, null, 2)}\n`)
  } finally {
    await db.close()
  }
}

const dataDir = await mkdtemp(join(tmpdir(), 'parley-growth-'))
const postgres = engine === 'postgres' ? await startPostgres({ durable: true }) : null
try {
  await simulate({ dataDir, databaseUrl: postgres?.url, databasePoolSize: 20 })
} finally {
  await postgres?.stop()
  await rm(dataDir, { recursive: true })
}
