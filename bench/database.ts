/**
 * Measures a unit of four statements and a short read on both engines: built by Kysely, and prepared.
 *
 *   node bench/database.ts [seconds per line]
 *
 * Durability is on. Compare numbers of one machine only.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql, type Kysely } from 'kysely'
import pino from 'pino'
import type { Database, Tx } from '../server/src/platform/db/database.ts'
import { migrate, openDatabase } from '../server/src/platform/db/open-database.ts'
import type { Schema } from '../server/src/platform/db/schema.ts'
import {
  postgresAbsence,
  startPostgres,
} from '../server/test/support/databases/embedded-postgres.ts'

const seconds = Number(process.argv[2] ?? 2)
const log = pino({ level: 'warn' })
let last = 0

/** Four statements: look up, append two, count. Like turns, each unit has its own rows. */
async function appendTurn(tx: Tx): Promise<void> {
  const name = `bench-${++last}`
  await tx.selectFrom('sequences').selectAll().where('name', '=', name).execute()
  await tx.insertInto('sequences').values({ name, next_value: 1 }).execute()
  await tx
    .insertInto('meta')
    .values({ key: name, value: 'x'.repeat(200) })
    .execute()
  await tx.updateTable('sequences').set({ next_value: 2 }).where('name', '=', name).execute()
}

interface Turn {
  readonly name: string
  readonly value: string
}

const lookUp = (db: Kysely<Schema>, given: { name: string }) =>
  db.selectFrom('sequences').selectAll().where('name', '=', given.name)
const insertCount = (db: Kysely<Schema>, given: { name: string }) =>
  db.insertInto('sequences').values({ name: given.name, next_value: 1 })
const insertText = (db: Kysely<Schema>, given: Turn) =>
  db.insertInto('meta').values({ key: given.name, value: given.value })
const count = (db: Kysely<Schema>, given: { name: string }) =>
  db.updateTable('sequences').set({ next_value: 2 }).where('name', '=', given.name)

async function appendPrepared(db: Database): Promise<void> {
  const name = `bench-${++last}`
  await db.write(async (tx) => {
    await db.prepared(lookUp).within(tx, { name })
    await db.prepared(insertCount).within(tx, { name })
    await db.prepared(insertText).within(tx, { name, value: 'x'.repeat(200) })
    await db.prepared(count).within(tx, { name })
  })
}

/** The same rows in one statement. SQLite allows no insert in a common table expression. */
const appendAtOnce = (db: Kysely<Schema>, given: Turn) =>
  sql`
  with counted as (insert into sequences (name, next_value) values (${given.name}, 2)),
    looked as (select 1 from sequences where name = ${given.name})
  insert into meta (key, value) values (${given.name}, ${given.value})`.compile(db)

async function measure(title: string, concurrency: number, run: () => Promise<unknown>) {
  const until = performance.now() + seconds * 1_000
  const latencies: number[] = []
  const startedAt = performance.now()
  const worker = async () => {
    while (performance.now() < until) {
      const begun = performance.now()
      await run()
      latencies.push(performance.now() - begun)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  const perSecond = Math.round((latencies.length / (performance.now() - startedAt)) * 1_000)
  const sorted = Float64Array.from(latencies).sort()
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(3)
  console.log(
    `${title.padEnd(44)} c ${String(concurrency).padStart(3)} ${String(perSecond).padStart(8)}/s  p50 ${at(0.5)} ms  p99 ${at(0.99)} ms`,
  )
}

async function measureEngine(db: Database): Promise<void> {
  const { engine } = db
  const name = 'agent_number'
  const read = () =>
    db.read.selectFrom('sequences').selectAll().where('name', '=', name).executeTakeFirst()
  for (const concurrency of [1, 32]) {
    await measure(`${engine}: unit of four, Kysely`, concurrency, () => db.write(appendTurn))
    await measure(`${engine}: unit of four, prepared`, concurrency, () => appendPrepared(db))
    await measure(`${engine}: short read, Kysely`, concurrency, read)
    await measure(`${engine}: short read, prepared`, concurrency, () =>
      db.prepared(lookUp).read({ name }),
    )
    await measure(`${engine}: one statement as a unit`, concurrency, () => {
      const given = { name: `bench-${++last}`, value: 'x'.repeat(200) }
      return db.prepared(engine === 'postgres' ? appendAtOnce : insertText).write(given)
    })
  }
}

async function withDatabase(databaseUrl: string | undefined): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const settings = { dataDir, databaseUrl, databasePoolSize: 20 }
  await migrate(settings, log)
  const db = openDatabase(settings, log)
  try {
    await measureEngine(db)
  } finally {
    await db.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

await withDatabase(undefined)
if (postgresAbsence() === null) {
  const postgres = await startPostgres({ durable: true })
  try {
    await withDatabase(postgres.url)
  } finally {
    await postgres.stop()
  }
}
