/**
 * Analytics over a million messages on both engines: how long counting them takes, and how long a
 * view of 90 days, a search and a list take afterwards.
 *
 *   node bench/analytics.ts [messages] [calls] [sqlite|postgres]
 *
 * CPU time is that of our process with all its threads, without the PostgreSQL server. Durability is
 * on. Compare numbers of one machine only.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql, type RawBuilder } from 'kysely'
import pino from 'pino'
import { createBoundedWorkers } from '../server/src/platform/bounded-workers/create-bounded-workers.ts'
import { readConfig } from '../server/src/config.ts'
import { createAgent } from '../server/src/features/agents/index.ts'
import { getAppAnalytics, rollUp } from '../server/src/features/analytics/index.ts'
import {
  indexConversations,
  listConversations,
} from '../server/src/features/conversations/index.ts'
import { createUser } from '../server/src/features/identity/index.ts'
import type { Database } from '../server/src/platform/db/database.ts'
import { migrate, openDatabase } from '../server/src/platform/db/open-database.ts'
import { createPayments } from '../server/src/platform/payments/create-payments.ts'
import {
  postgresAbsence,
  startPostgres,
} from '../server/test/support/databases/embedded-postgres.ts'

const messages = Number(process.argv[2] ?? 1_000_000)
const calls = Number(process.argv[3] ?? 60)
const only = process.argv[4]
const log = pino({ level: 'warn' })
const config = readConfig({})

const dayMs = 86_400_000
const days = 90
const perSession = 8
const sessions = Math.floor(messages / perSession)
/** The last day of the messages is today, as for an agent in use. */
const end = Math.floor(Date.now() / dayMs) * dayMs + dayMs / 2
const start = end - days * dayMs

interface Place {
  readonly workspaceId: string
  readonly agentId: string
}

/** The engine generates the rows itself: sending a million through the driver would take minutes. */
async function generate(db: Database, place: Place): Promise<void> {
  const slice = 5_000
  for (let at = 0; at < sessions; at += slice) {
    const numbers = numbersOf(db, at, Math.min(at + slice, sessions))
    await db.write(async (tx) => {
      await sql`
        insert into chat_sessions (id, workspace_id, agent_id, agent_version, source, end_user,
          created_at, last_message_at, message_count, lease_until)
        select ${uuid(db, sql`n`, 1)}, ${place.workspaceId}, ${place.agentId}, 1,
          case when n % 3 = 0 then 'dashboard' else 'api' end,
          'user-' || cast(n * 7919 % 20000 as text),
          ${begun}, ${begun} + ${sql.lit(perSession * 4000)}, ${sql.lit(perSession)}, 0
        from ${numbers}
      `.execute(tx)
      await sql`
        insert into chat_messages (session_id, seq, id, role, content, model, prompt_tokens,
          completion_tokens, latency_ms, first_token_ms, finish_reason, error_code, citations_json,
          created_at)
        select ${uuid(db, sql`n`, 1)}, q, ${uuid(db, sql`n * 8 + q`, 2)},
          case when q % 2 = 1 then 'user' else 'assistant' end,
          case when q % 2 = 1
            then 'Question ' || cast(n * 31 % 4000 as text) || ': when will my order number '
              || cast(n as text) || ' be delivered, and can I still change the address?'
            else 'Your order is on its way. You can change the address until it has left our '
              || 'warehouse, which takes two working days; then the carrier is the one to ask.' end,
          case when q % 2 = 0 then 'local/extractive' end,
          case when q % 2 = 0 then 300 + n % 500 end, case when q % 2 = 0 then 20 + n % 90 end,
          case when q % 2 = 0 then 150 + n * 7919 % 6000 end,
          case when q % 2 = 0 then 80 + n * 104729 % 900 end,
          case when q % 2 = 0 then 'stop' end,
          case when q % 2 = 0 and n % 97 = 0 then 'model_timeout' end,
          case when q % 2 = 0 then case when n % 11 = 0 then '[]' else
            '[{"source_id":"source-' || cast(n % 40 as text) || '","passage":"Two working days."}]'
          end end,
          ${begun} + (q - 1) * 4000
        from ${numbers}
        cross join (select 1 as q union all select 2 union all select 3 union all select 4
          union all select 5 union all select 6 union all select 7 union all select 8) as turns
      `.execute(tx)
      await sql`
        insert into credit_entries (id, workspace_id, kind, amount_micros, agent_id, session_id,
          counted_at, created_at)
        select ${uuid(db, sql`n * 4 + q`, 3)}, ${place.workspaceId}, 'turn', -(100 + n % 900),
          ${place.agentId}, ${uuid(db, sql`n`, 1)}, ${begun}, ${begun} + q * 8000
        from ${numbers}
        cross join (select 1 as q union all select 2 union all select 3 union all select 4) as turns
      `.execute(tx)
    })
  }
}

const begun = sql`(${sql.lit(start)} + n * ${sql.lit(Math.floor((days * dayMs) / sessions))})`

function numbersOf(db: Database, from: number, to: number): RawBuilder<unknown> {
  return db.engine === 'postgres'
    ? sql`(select n from generate_series(${sql.lit(from)}::bigint, ${sql.lit(to - 1)}) as n) as numbers`
    : sql`(
        with recursive counted (n) as (
          select ${sql.lit(from)} union all select n + 1 from counted where n < ${sql.lit(to - 1)}
        ) select n from counted
      ) as numbers`
}

function uuid(db: Database, number: RawBuilder<unknown>, kind: number): RawBuilder<unknown> {
  const hex =
    db.engine === 'postgres'
      ? sql`lpad(to_hex((${number})::bigint), 12, '0')`
      : sql`printf('%012x', ${number})`
  return sql`'0000000' || ${sql.lit(String(kind))} || '-0000-7000-8000-' || ${hex}`
}

async function timed(title: string, run: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  await run()
  console.log(`${title.padEnd(58)} ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

async function measure(title: string, run: (n: number) => Promise<unknown>): Promise<void> {
  const took: number[] = []
  const before = process.cpuUsage()
  for (let n = 0; n < calls; n++) {
    const began = performance.now()
    await run(n)
    took.push(performance.now() - began)
  }
  const { user, system } = process.cpuUsage(before)
  const cpu = ((user + system) / 1000 / calls).toFixed(0)
  const sorted = Float64Array.from(took).sort()
  const at = (share: number) => (sorted[Math.ceil(sorted.length * share) - 1] ?? 0).toFixed(0)
  console.log(
    `${title.padEnd(58)} p50 ${at(0.5).padStart(4)} ms  p95 ${at(0.95).padStart(4)} ms  most ${at(1).padStart(4)} ms  CPU ${cpu.padStart(4)} ms`,
  )
}

async function measureEngine(db: Database): Promise<void> {
  const { engine } = db
  const clock = { now: () => end + 5 * 60_000 }
  const workers = createBoundedWorkers(config)
  const ctx = { db, clock, log, config, workers, payments: createPayments(config) }
  const { user, workspaceId } = await createUser(ctx, { email: 'a@example.com', name: 'A' })
  const author = { userId: user.id, workspaceId }
  const { id: agentId } = await createAgent(ctx, author, {
    name: 'Busy',
    model: 'local/extractive',
  })
  await timed(`${engine}: generating ${messages} messages`, () =>
    generate(db, { workspaceId, agentId }),
  )
  if (engine === 'postgres') await db.write((tx) => sql`analyze`.execute(tx))
  await timed(`${engine}: counting all of them for the first time`, () => rollUp(ctx))
  if (engine === 'postgres') await sql`vacuum analyze`.execute(db.scan)
  const view = (appId: string, timeZone: string, length: number) => {
    const to = new Date(end).toISOString().slice(0, 10)
    const from = new Date(end - (length - 1) * dayMs).toISOString().slice(0, 10)
    return getAppAnalytics(ctx, workspaceId, { appId, from, to, timeZone })
  }
  for (const timeZone of ['UTC', 'Europe/Berlin', 'Asia/Kolkata'])
    await measure(`${engine}: get_app_analytics, 90 days, ${timeZone}`, () =>
      view(agentId, timeZone, 90),
    )
  await measure(`${engine}: get_app_analytics, 30 days, UTC`, () => view(agentId, 'UTC', 30))
  const run = { id: '', attempt: 1, isLast: false, signal: new AbortController().signal }
  await timed(`${engine}: indexing all of them for the first time`, async () => {
    await indexConversations.run(ctx, {}, run)
  })
  if (engine === 'postgres') await db.write((tx) => sql`analyze`.execute(tx))
  const list = (query: object) =>
    listConversations(ctx, workspaceId, agentId, { limit: 20, ...query })
  await measure(`${engine}: list_conversations`, () => list({}))
  await measure(`${engine}: list_conversations, words that few said`, (n) =>
    list({ query: `order ${n * 997 + 13}` }),
  )
  await measure(`${engine}: list_conversations, words that all said`, () =>
    list({ query: 'change address' }),
  )
  await measure(`${engine}: list_conversations, cut short, by user`, (n) =>
    list({ hasError: true, endUser: `user-${n}` }),
  )
}

async function withDatabase(databaseUrl: string | undefined): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const settings = { dataDir, databaseUrl, databasePoolSize: 20 }
  await migrate(settings, log)
  const db = openDatabase(settings, log)
  try {
    await measureEngine(db)
    if (databaseUrl === undefined) {
      const { size } = await stat(join(dataDir, 'parley.sqlite'))
      console.log(`sqlite: the database has ${Math.round(size / 1_000_000)} MB`)
    }
  } finally {
    await db.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

if (only !== 'postgres') await withDatabase(undefined)
if (only !== 'sqlite' && postgresAbsence() === null) {
  const postgres = await startPostgres({ durable: true })
  try {
    await withDatabase(postgres.url)
  } finally {
    await postgres.stop()
  }
}
