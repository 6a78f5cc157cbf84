/**
 * What turns leave behind: rows and bytes by table and index, log, dead rows, connections and memory.
 *
 *   node bench/simulate-growth.ts sqlite|postgres [turns] [--seed 1] [--json FILE]
 *
 * 100,000 turns are a hundredth of ten million a day: one simulated day of 50 agents, through the
 * statements of turns and the jobs that follow them, without HTTP and without a model.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pino from 'pino'
import { readConfig } from '../server/src/config.ts'
import { createAgent } from '../server/src/features/agents/index.ts'
import { compareUsage, rollUpAnalytics } from '../server/src/features/analytics/index.ts'
import { sealAuditLog, signedDatabase } from '../server/src/features/audit/index.ts'
import { indexConversations } from '../server/src/features/conversations/index.ts'
import { createUser } from '../server/src/features/identity/index.ts'
import { createBoundedWorkers } from '../server/src/platform/bounded-workers/create-bounded-workers.ts'
import { migrate, openDatabase } from '../server/src/platform/db/open-database.ts'
import { createVault } from '../server/src/platform/vault.ts'
import { startPostgres } from '../server/test/support/embedded-postgres.ts'
import { measureGrowth, printGrowth, startingPoint } from './growth/sizes.ts'
import { dayMs, runDay, type SimulatedAgent } from './growth/day.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, json: { type: 'string' } },
})
const [engine = 'sqlite', count = '100000'] = positionals
const turns = Number(count)
const agentCount = 50
const agentsPerWorkspace = 5
const log = pino({ level: 'warn' })

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
        const wanted = { name: `Agent ${n + nth}`, model: 'local/extractive' }
        const agent = await createAgent(ctx, { userId: user.id, workspaceId }, wanted)
        agents.push({ workspaceId, agentId: agent.id, keyId: agent.id, userId: user.id })
      }
    }
    const before = await startingPoint(db)
    const began = performance.now()
    await runDay(ctx, agents, { turns, begunAt: endsAt - dayMs, seed: Number(options.seed) })
    const turnsMs = performance.now() - began
    const run = { id: '', attempt: 1, isLast: false, signal: new AbortController().signal }
    // What is younger than some minutes is left to the next run.
    const later = { ...ctx, clock: { now: () => endsAt + dayMs / 24 } }
    for (const job of [rollUpAnalytics, indexConversations, compareUsage, sealAuditLog])
      await job.run(later, {}, run)
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
