import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startAttacked, type AttackedService } from '#test/support/processes/attacked-service.ts'
import { describeEngines, environmentOf, type TestEngine } from '#test/support/databases/engines.ts'
import { cleansUp } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'

cleansUp()

/** Much shorter than any limit of a statement, and long enough for a busy machine. */
const soonMs = 10_000

const patience = { timeout: 180_000 }

/** Nothing but the caller, or a stop, ends a long read. */
const patient = {
  READ_TIMEOUT_MS: '600000',
  DATABASE_STATEMENT_TIMEOUT_MS: '600000',
}

const slowProducts = {
  sqlite: `select kept_products.* from (
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 1e12)
      select max(i) from n
    ) cross join kept_products`,
  postgres: 'select * from kept_products where (select pg_sleep(600)) is not null',
}

/** Every search of products then takes longer than anybody waits. Nothing else reads that table. */
async function slowDown(engine: TestEngine): Promise<void> {
  await engine.database().write(async (tx) => {
    await sql`alter table products rename to kept_products`.execute(tx)
    await sql`create view products as ${sql.raw(slowProducts[engine.name])}`.execute(tx)
  })
}

async function speedUp(engine: TestEngine): Promise<void> {
  await engine.database().write(async (tx) => {
    await sql`drop view products`.execute(tx)
    await sql`alter table kept_products rename to products`.execute(tx)
  })
}

/** How many such lists are read now. */
async function running(engine: TestEngine): Promise<number> {
  if (engine.name === 'postgres') {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pg_stat_activity
      where datname = current_database() and wait_event = 'PgSleep'`.execute(engine.database().read)
    return rows[0]?.count ?? 0
  }
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const { dataDir } = engine.settings()
  const states = await Promise.all(pids.map((pid) => stateOfReader(pid, dataDir)))
  return states.filter((state) => state === 'R').length
}

/** Null if the process is none of this database. */
async function stateOfReader(pid: string, dataDir: string): Promise<string | null> {
  try {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8')
    if (!command.includes('reader-process') || !command.includes(dataDir)) return null
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2)[0] ?? null
  } catch {
    return null // It has ended.
  }
}

async function created(service: AttackedService, name: string, input: object) {
  const { status, body } = await service.operation(name, JSON.stringify(input))
  expect(status, body).toBe(200)
  return JSON.parse(body)
}

/** @returns the id of a new agent */
async function sellsTea(service: AttackedService, name: string, workspace_id: string) {
  const { id } = await created(service, 'create_app', { name, workspace_id })
  await created(service, 'upsert_product', { app_id: id, name: 'Tea', price_amount: 100 })
  return id
}

/** Asks again while the service is too busy to begin: on a busy machine, it sheds load. */
async function listProducts(service: AttackedService, app_id: string, signal?: AbortSignal) {
  const page = JSON.stringify({ app_id, q: 'tea' })
  for (;;) {
    const answer = await service.operation('list_products', page, signal)
    if (answer.status !== 503) return answer
    await sleep(200)
  }
}

describeEngines('a list that would take hours', (engine) => {
  test(
    'delays neither a neighbour nor /readyz, and ends when its caller leaves',
    patience,
    async () => {
      const service = await startAttacked({ ...environmentOf(engine), ...patient })
      const { id: workspace_id } = await created(service, 'create_workspace', { name: 'Flooded' })
      const flooded = await sellsTea(service, 'Flooded', workspace_id)
      const app_id = service.agent.id
      await created(service, 'add_knowledge_source', { app_id, title: 'Tea', text: 'A drink.' })
      await slowDown(engine)
      const gone = new AbortController()
      const lists = Array.from({ length: 12 }, () =>
        listProducts(service, flooded, gone.signal).catch((error: Error) => error.name),
      )
      await until('lists are read', async () => (await running(engine)) >= 2)
      const ready = await fetch(new URL('/readyz', service.parley.baseUrl))
      expect(ready.status).toBe(200)
      const found = await created(service, 'search_knowledge', { app_id, query: 'tea' })
      expect(JSON.stringify(found)).toContain('A drink.')
      await created(service, 'list_conversations', { app_id })
      expect(await running(engine)).toBeGreaterThanOrEqual(2)
      const leftAt = performance.now()
      gone.abort()
      expect(new Set(await Promise.all(lists))).toEqual(new Set(['AbortError']))
      await created(service, 'list_conversations', { app_id: flooded })
      expect(performance.now() - leftAt).toBeLessThan(soonMs)
      service.parley.signal('SIGTERM')
      expect((await service.parley.finished).code).toBe(0)
      await speedUp(engine)
    },
  )

  test('does not delay the end of a service that stops', patience, async () => {
    const service = await startAttacked({
      ...environmentOf(engine),
      ...patient,
      SHUTDOWN_GRACE_SECONDS: '1',
    })
    const { id: workspace_id } = await created(service, 'create_workspace', { name: 'Stopped' })
    const app_id = await sellsTea(service, 'Stopped', workspace_id)
    await slowDown(engine)
    const list = listProducts(service, app_id).catch(() => 'cut off')
    await until('the list is read', async () => (await running(engine)) >= 1)
    const stoppedAt = performance.now()
    service.parley.signal('SIGTERM')
    expect((await service.parley.finished).code).toBe(0)
    expect(performance.now() - stoppedAt).toBeLessThan(soonMs)
    expect(await list).toBe('cut off')
    await speedUp(engine)
  })
})
