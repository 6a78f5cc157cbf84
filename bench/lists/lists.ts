/**
 * How long lists and figures take over many conversations, on both engines.
 *
 *   node bench/lists/lists.ts sqlite [sessions] [folder] [fill|count|read|beside|erase] [titles]
 *   node bench/lists/lists.ts postgres [sessions] [postgres://…] [fill|count|read|beside|erase] [titles]
 *
 * A database in `folder` or at the address is filled once and used again; with `fill`, `count` (the
 * figures of analytics), `read`, `beside` or `erase`, only that happens. `titles` is a regular expression: others are not read. Without an address, a server of its own is started. Erasing people comes last.
 */
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import { createBoundedWorkers } from '../../server/src/platform/bounded-workers/create-bounded-workers.ts'
import { readConfig } from '../../server/src/config.ts'
import { createAgent } from '../../server/src/features/agents/index.ts'
import {
  eraseEndUser,
  getAppAnalytics,
  listUnanswered,
  rollUpAnalytics,
} from '../../server/src/features/analytics/index.ts'
import { listAuditEvents } from '../../server/src/features/audit/index.ts'
import {
  exportConversations,
  findConversations,
  indexConversations,
  listConversations,
} from '../../server/src/features/conversations/index.ts'
import {
  creditJobs,
  getCredits,
  listCreditTransactions,
} from '../../server/src/features/credits/index.ts'
import type { ConversationFilter } from '../../server/src/features/conversations/conversation-filter.ts'
import { createUser } from '../../server/src/features/identity/index.ts'
import { listOrders } from '../../server/src/features/orders/index.ts'
import { listLimits } from '../../server/src/features/quotas/index.ts'
import type { Database } from '../../server/src/platform/db/database.ts'
import { migrate, openDatabase } from '../../server/src/platform/db/open-database.ts'
import { createPayments } from '../../server/src/platform/payments/create-payments.ts'
import { startPostgres } from '../../server/test/support/databases/embedded-postgres.ts'
import {
  besideChat,
  measureBeside,
  setCounted,
  shares,
  skipCounting,
  timed,
} from './beside-chat.ts'
import { fill, frequentSessions, frequentUser, rare, type Place } from './fill.ts'

const [engine = 'sqlite', count = '300000', given, only, titles = ''] = process.argv.slice(2)
const sessions = Number(count)
const calls = 100
const agentName = 'Busy'
const dayMs = 86_400_000
const log = pino({ level: 'warn' })
const config = readConfig({})

function contextOf(db: Database) {
  const clock = { now: () => Date.now() }
  const workers = createBoundedWorkers(config)
  return { db, clock, log, config, workers, payments: createPayments(config) }
}

type Bench = ReturnType<typeof contextOf>

async function filled(ctx: Bench): Promise<Place> {
  const { user, workspaceId } = await createUser(ctx, { email: 'a@example.com', name: 'A' })
  const author = { userId: user.id, workspaceId }
  const agent = await createAgent(ctx, author, { name: agentName, model: 'local/extractive' })
  const place = { workspaceId, agentId: agent.id, userId: user.id }
  await timed(`filling ${sessions} sessions`, () => fill(ctx.db, place, sessions))
  await sql.raw(engine === 'postgres' ? 'analyze' : 'select 1').execute(ctx.db.scan)
  await skipCounting(ctx)
  return place
}

/** Continues where an earlier run was stopped. */
async function indexWords(ctx: Bench): Promise<void> {
  const run = { id: '', attempt: 1, isLast: false, signal: new AbortController().signal }
  await timed('indexing their words', async () => void (await indexConversations.run(ctx, {}, run)))
  if (engine === 'postgres') await sql`vacuum analyze`.execute(ctx.db.scan)
}

/** The figures of analytics. A fill leaves them out. */
async function countAll(ctx: Bench): Promise<void> {
  await setCounted(ctx.db, 0)
  const run = { id: '', attempt: 1, isLast: false, signal: new AbortController().signal }
  await rollUpAnalytics.run(ctx, {}, run)
}

/** As the service does once a minute. */
async function runCreditJobs(ctx: Bench): Promise<void> {
  const run = { id: '', attempt: 1, isLast: false, signal: new AbortController().signal }
  // They use no port that a bench does not have.
  for (const job of creditJobs) await job.run(ctx as never, {}, run)
}

/** As a request does: reads of jobs have a process and a priority of their own on SQLite. */
const caller = { isBackground: false, signal: () => new AbortController().signal }

async function measure(
  { db }: Bench,
  title: string,
  run: (n: number) => Promise<unknown>,
): Promise<void> {
  if (!new RegExp(titles).test(title)) return
  const took: number[] = []
  for (let n = 0; n < calls; n++) {
    const began = performance.now()
    await db.forCaller(caller, () => run(n))
    took.push(performance.now() - began)
  }
  console.log(`| ${title} | ${shares(took, 0.5, 0.99, 1).replaceAll('/', '|')} |`)
}

const old = { to: Date.now() - 80 * dayMs }
const page = { limit: 50 }

const conversationFilters: Readonly<Record<string, ConversationFilter>> = {
  'no filter': {},
  'a period': old,
  'a source of many': { source: 'dashboard' },
  'a source of few': { source: rare.source },
  'an end user of many': { endUser: frequentUser },
  'an end user of few': { endUser: 'user-77' },
  'rated up': { rating: 'up' },
  'rated down (few)': { rating: 'down' },
  'an error (few)': { hasError: true },
  'no error': { hasError: false },
  'unanswered (many)': { unanswered: true },
  'a model of few': { model: rare.model },
  'a model of none': { model: 'no/model' },
  '11 messages or more (few)': { minMessages: 11 },
  '70 messages or more (few)': { minMessages: 70 },
  'an error, answered, rated up (none)': { hasError: true, unanswered: false, rating: 'up' },
  'words of one': { query: 'order 4711' },
  'words of all': { query: 'change address' },
  'words of all, an error (few)': { query: 'change address', hasError: true },
}

const eventFilters: Readonly<Record<string, object>> = {
  'no filter': {},
  'an action of few': { action: 'delete_app' },
  'a target of few': { target: 'rare-target' },
  refused: { outcome: 'refused' },
  'an actor of none': { actor: 'a@example.com' },
  'a period': old,
}

async function measureLists(ctx: Bench, place: Place): Promise<void> {
  const { workspaceId, agentId } = place
  console.log('| List or figure | p50 ms | p99 ms | Most ms |\n|---|---:|---:|---:|')
  for (const [title, filter] of Object.entries(conversationFilters))
    await measure(ctx, `list_conversations: ${title}`, () =>
      listConversations(ctx, workspaceId, agentId, { ...page, ...filter }),
    )
  for (const [title, filter] of Object.entries(eventFilters))
    await measure(ctx, `list_audit_events: ${title}`, () =>
      listAuditEvents(ctx, { workspaceId, ...filter }, page),
    )
  for (const kind of [undefined, 'turn', rare.kind, 'expiry'] as const)
    await measure(ctx, `list_credit_transactions: ${kind ?? 'no filter'}`, () =>
      listCreditTransactions(ctx, { workspaceId, from: undefined, ...old, kind }, page),
    )
  for (const status of [undefined, 'canceled'] as const)
    await measure(ctx, `list_orders: ${status ?? 'no filter'}`, () =>
      listOrders(ctx, workspaceId, agentId, { status, ...page }),
    )
  await measureFigures(ctx, place)
}

const signal = new AbortController().signal
const searches = { 'words of one': 'order 4711', 'words of all': 'change address' }

function lastDays(days: number) {
  return { from: new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 10) }
}

async function measureFigures(ctx: Bench, place: Place): Promise<void> {
  const { workspaceId, userId, agentId: appId } = place
  for (const [title, query] of Object.entries(searches))
    await measure(ctx, `find_conversations: ${title}`, () =>
      findConversations(ctx, workspaceId, { query, limit: 50 }, signal),
    )
  for (const days of [30, 90])
    await measure(ctx, `list_unanswered: ${days} days`, () =>
      listUnanswered(ctx, workspaceId, { appId, days, limit: 50, includeTests: false }),
    )
  for (const days of [30, 90])
    await measure(ctx, `get_app_analytics: ${days} days`, () =>
      getAppAnalytics(ctx, workspaceId, { appId, ...lastDays(days) }),
    )
  for (const [title, begun] of Object.entries({ all: {}, 'a period': { from: old.to } }))
    await measure(ctx, `an export, its first piece: ${title}`, async () => {
      const pieces = await exportConversations(ctx, workspaceId, { appId, format: 'csv', ...begun })
      // The first has the names of the columns.
      await pieces.next()
      await pieces.next()
      await pieces.return()
    })
  await measure(ctx, 'get_credits', () => getCredits(ctx, workspaceId))
  await measure(ctx, 'list_limits', () => listLimits(ctx, { userId, workspaceId }, page))
}

async function measureErasing(ctx: Bench, place: Place): Promise<void> {
  const { workspaceId, agentId: appId, userId } = place
  const actor = { userId, workspaceId, surface: 'cli', scopes: [] } as never
  const erase = (endUser: string) => () => eraseEndUser(ctx, actor, workspaceId, { appId, endUser })
  const endUser = `user-${1 + Math.floor(Math.random() * 29_999)}`
  await besideChat(ctx, place, 'nothing else for three seconds', () => sleep(3_000))
  await besideChat(ctx, place, `erase_end_user, ${sessions / 30_000} sessions`, erase(endUser))
  await besideChat(ctx, place, `erase_end_user, ${frequentSessions} sessions`, erase(frequentUser))
}

/** The agent that an earlier run has filled. */
async function knownPlace({ db }: Bench): Promise<Place | undefined> {
  return await db.read
    .selectFrom('agents')
    .innerJoin('memberships as member', 'member.workspace_id', 'agents.workspace_id')
    .select([
      'agents.workspace_id as workspaceId',
      'agents.id as agentId',
      'member.user_id as userId',
    ])
    .where('agents.name', '=', agentName)
    .executeTakeFirst()
}

async function run(settings: Parameters<typeof openDatabase>[0]): Promise<void> {
  await migrate(settings, log)
  const db = openDatabase(settings, log)
  try {
    const ctx = contextOf(db)
    const known = await knownPlace(ctx)
    const place = known ?? (await filled(ctx))
    if (known === undefined || only === 'fill') await indexWords(ctx)
    if (only === 'fill') return
    if (only === 'count') return await timed('counting all messages', () => countAll(ctx))
    if (only === 'erase') return await measureErasing(ctx, place)
    if (only === 'beside') return await measureBeside(ctx, place, settings)
    await timed('the jobs of credits', () => runCreditJobs(ctx))
    await measureLists(ctx, place)
    if (only !== 'read') await measureErasing(ctx, place)
  } finally {
    await db.close()
  }
}

const isAddress = given?.startsWith('postgres') === true
const dataDir =
  isAddress || given === undefined ? join(tmpdir(), `parley-lists-${process.pid}`) : given
await mkdir(dataDir, { recursive: true })
const server = engine === 'postgres' && !isAddress ? await startPostgres({ durable: true }) : null
try {
  const databaseUrl = isAddress ? given : server?.url
  await run({ dataDir, databaseUrl, databasePoolSize: 20 })
} finally {
  await server?.stop()
}
