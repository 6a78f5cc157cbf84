import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pino from 'pino'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { openInstance } from '#compose'
import { readConfig } from '#config'
import { indexConversations, settlingMs } from '#features/conversations/index.ts'
import { cliActor } from '#features/identity/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import {
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import {
  beginParley,
  cleansUp,
  emptyFolder,
  parley,
  startParley,
  type Environment,
} from '#test/support/processes/parley-process.ts'
import { onPostgres } from '#test/support/databases/sample-database.ts'
import { until } from '#test/support/until.ts'
import { initialise } from './serving/initialise.ts'

cleansUp()

const made: DatabaseSettings[] = []
afterEach(async () => {
  await Promise.all(made.splice(0).map(dropDatabase))
})

async function emptyPostgres(): Promise<string> {
  const database = await makeDatabase('postgres')
  made.push(database)
  return database.databaseUrl ?? ''
}

const agent = { app_id: 'parley-guide-10001' }
const question = 'How do I continue a conversation?'

type Call = (operation: string, input?: object) => Promise<Record<string, unknown>>

/** Runs operations as the owner, in this process. */
async function withCalls<T>(environment: Environment, work: (call: Call) => Promise<T>) {
  const log = pino({ level: 'silent' })
  const { ctx, close } = await openInstance(readConfig(environment), log)
  try {
    await initialise(ctx, { printsLink: false })
    // Messages are indexed some minutes after they were stored.
    const clock = { now: () => ctx.clock.now() + settlingMs + 1 }
    const { signal } = new AbortController()
    const job = { id: 'x', attempt: 1, isLast: false, signal }
    await indexConversations.run({ ...ctx, clock }, {}, job)
    const owner = await cliActor(ctx)
    return await work((operation, input = {}) =>
      // The operations have different results; the tests know them.
      runOperation(ctx, owner, findOperation(operation)!, input),
    )
  } finally {
    await close()
  }
}

/** What an operator would compare. */
async function stateOf(environment: Environment) {
  const state = await withCalls(environment, async (call) => ({
    found: await call('search_knowledge', { ...agent, query: question }),
    conversations: await call('list_conversations', agent),
    searched: await call('list_conversations', { ...agent, query: 'continue' }),
    credits: await call('list_credit_transactions'),
    products: await call('list_products', agent),
    order: await call('list_orders', agent),
  }))
  return { ...state, audit: (await parley(['audit', 'verify'], environment)).code }
}

describe.skipIf(inject('engines').length < 2)('db move', () => {
  test('moves an instance to PostgreSQL and back, and services continue on each', async () => {
    const folder = await emptyFolder()
    const embedded = { DATA_DIR: join(folder, 'data') }
    await withCalls(embedded, async (call) => {
      await call('chat_with_app', { ...agent, message: question })
      await call('upsert_product', { ...agent, name: 'Mug', price_amount: 900, sku: 'mug' })
    })
    const before = await stateOf(embedded)
    expect(before).toMatchObject({
      found: { items: expect.arrayContaining([expect.objectContaining({ title: 'Sessions' })]) },
      conversations: { items: [expect.anything()] },
      searched: { items: [expect.anything()] },
      audit: 0,
    })

    const url = await emptyPostgres()
    const there = await parley(['db', 'move', '--to', url], embedded)
    expect(there).toMatchObject({ code: 0, stderr: '' })
    expect(there.stdout).toMatch(/^chat_messages: 2 rows verified, hash [0-9a-f]{16}$/m)
    expect(there.stdout).toMatch(/^moved to postgres:\/\/\S+: \d+ tables, \d+ rows, verified; /m)
    expect(there.stdout).toContain(`set SECRET_KEY to the content of ${embedded.DATA_DIR}`)
    const SECRET_KEY = (await readFile(join(embedded.DATA_DIR, 'secret.key'), 'utf8')).trim()
    const postgres = { DATABASE_URL: url, SECRET_KEY }
    expect(await stateOf(postgres)).toEqual(before)
    await answers(postgres)
    const later = await stateOf(postgres)
    expect(later.conversations).toMatchObject({ items: [expect.anything(), expect.anything()] })

    const home = { DATA_DIR: join(folder, 'back'), SECRET_KEY }
    const back = await parley(['db', 'move', '--to', `sqlite:${home.DATA_DIR}`], postgres)
    expect(back).toMatchObject({ code: 0, stderr: '' })
    expect(await stateOf(home)).toEqual(later)
    await answers(home)
    expect(await stateOf(embedded)).toEqual(before)
  })

  /** A service starts on it, is ready, and answers with a citation. */
  async function answers(environment: Environment): Promise<void> {
    const service = await startParley(environment)
    expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
    const args = ['call', 'chat_with_app', JSON.stringify({ ...agent, message: question })]
    const { stdout } = await parley(args, environment)
    expect(JSON.parse(stdout).citations).not.toHaveLength(0)
    service.signal('SIGTERM')
    expect((await service.finished).code).toBe(0)
  }

  test('continues after kill -9, in both directions', async () => {
    const folder = await emptyFolder()
    const embedded = { DATA_DIR: join(folder, 'data'), DEMO: 'false' }
    await parley(['call', 'create_app', '{"name":"Kept"}'], embedded)
    const rows = 300_000
    const raw = new DatabaseSync(join(embedded.DATA_DIR, 'parley.sqlite'))
    raw.exec(`
      insert into sequences (name, next_value)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows})
      select 'row ' || i, i from n`)
    raw.close()
    const SECRET_KEY = (await readFile(join(embedded.DATA_DIR, 'secret.key'), 'utf8')).trim()
    const postgres = { DATABASE_URL: await emptyPostgres(), SECRET_KEY }
    const home = { DATA_DIR: join(folder, 'back'), SECRET_KEY }
    const ways = [
      [embedded, postgres.DATABASE_URL],
      [postgres, home.DATA_DIR],
    ] as const
    for (const [from, to] of ways) {
      const killed = beginParley(['db', 'move', '--to', to], from)
      await until('a part is copied', async () => /sequences: \d+ of/.test(killed.output()))
      killed.kill()
      expect((await killed.finished).code).toBe(null)
      const { code, stdout, stderr } = await parley(['db', 'move', '--to', to], from)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toMatch(new RegExp(`^sequences: ${rows + 1}? rows verified`, 'm'))
      const [, all, part] = /, (\d+) rows, verified; .* s, (\d+) rows a/.exec(stdout) ?? []
      expect(Number(all)).toBeGreaterThan(rows)
      expect(Number(part)).toBeGreaterThan(0)
    }
    const { stdout } = await parley(['call', 'list_apps'], home)
    expect(JSON.parse(stdout).items).toMatchObject([{ name: 'Kept' }])
  })

  test('is refused in one line', async () => {
    const folder = await emptyFolder()
    const embedded = { DATA_DIR: join(folder, 'data'), DEMO: 'false' }
    const service = await startParley(embedded)
    const url = await emptyPostgres()
    const refused = (why: string) => ({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^parley: ${why}.*\n$`)),
    })
    const live = await parley(['db', 'move', '--to', url], embedded)
    expect(live).toEqual(refused('the database was not moved: a service uses the source'))
    service.signal('SIGTERM')
    await service.finished
    await onPostgres({ databaseUrl: url }, (client) =>
      client.query(
        "insert into users (id, email, name, created_at, updated_at) values ('x', 'x', 'X', 1, 1)",
      ),
    )
    const used = await parley(['db', 'move', '--to', url], embedded)
    expect(used).toEqual(refused('the database was not moved: the target is not empty'))
    const away = await parley(['db', 'move', '--to', 'postgres://127.0.0.1:1/x'], embedded)
    expect(away).toEqual(refused('PostgreSQL at 127.0.0.1:1/x cannot be reached'))
    for (const args of [['move'], ['move', '--to', 'mysql://x'], ['copy', '--to', url]])
      expect(await parley(['db', ...args], embedded)).toMatchObject({ code: 2, stdout: '' })
  })
})
