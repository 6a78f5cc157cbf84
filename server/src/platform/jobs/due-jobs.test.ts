import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import type { Reader } from '#platform/db/database.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { findDueJobs, workspacesAtOnce } from './due-jobs.ts'

describeEngines('finding due jobs', (engine) => {
  const now = 1_000
  const search = {
    kinds: ['test.one', 'test.two'],
    outliving: [],
    limit: 2,
    isBalancing: false,
    now,
    after: '',
  }

  beforeEach(async () => {
    await engine.database().write((tx) => tx.deleteFrom('jobs').execute())
  })

  async function store(
    count: number,
    of: (n: number) => { readonly workspaceId: string | null; readonly runAt?: number },
  ): Promise<void> {
    const rows = Array.from({ length: count }, (_, n) => {
      const { workspaceId, runAt = 0 } = of(n)
      return {
        id: `${workspaceId}-${n}`.padEnd(12, '.'),
        kind: n % 2 === 0 ? 'test.one' : 'test.two',
        workspace_id: workspaceId,
        input_json: '{}',
        status: 'queued' as const,
        run_at: runAt,
        attempts: 0,
        created_at: 0,
        updated_at: 0,
      }
    })
    for (let at = 0; at < count; at += 500)
      await engine.database().write((tx) =>
        tx
          .insertInto('jobs')
          .values(rows.slice(at, at + 500))
          .execute(),
      )
  }

  async function find(changes: Partial<typeof search> = {}) {
    const { ids, next } = await findDueJobs(engine.database().read, engine.name, {
      ...search,
      ...changes,
    })
    return { found: ids.map((id) => id.split('-')[0]), next }
  }

  /** The shortest of several looks, in ms: other programs only make them longer. */
  async function shortestLook(): Promise<number> {
    let shortest = Number.POSITIVE_INFINITY
    for (let looks = 0; looks < 10; looks += 1) {
      const startedAt = performance.now()
      expect((await find()).found.toSorted()).toEqual(['few', 'flood'])
      shortest = Math.min(shortest, performance.now() - startedAt)
    }
    return shortest
  }

  /** What PostgreSQL's statistics know when a flood comes: it renews them a minute later at the earliest. */
  const known: Readonly<Record<string, () => Promise<void>>> = {
    'no jobs': () => Promise.resolve(),
    'finished jobs': async () => {
      await store(20_000, () => ({ workspaceId: 'old' }))
      const finished = { status: 'done' as const, finished_at: 1 }
      await engine.database().write((tx) => tx.updateTable('jobs').set(finished).execute())
    },
    'jobs of the service': () => store(20, () => ({ workspaceId: null, runAt: now + 1 })),
  }

  /**
   * How many rows of jobs PostgreSQL reads for a look. Its counters also have what the connection read in
   * earlier transactions, for up to a second.
   */
  async function countRead(): Promise<number> {
    return await engine.database().write(async (tx) => {
      const before = await rowsRead(tx)
      await findDueJobs(tx, engine.name, search)
      return (await rowsRead(tx)) - before
    })
  }

  test.runIf(engine.name === 'postgres').each(Object.entries(known))(
    'reads a few of 20,000 waiting jobs when statistics know %s',
    async (_, prepare) => {
      await prepare()
      await engine.database().write((tx) => sql`analyze jobs`.execute(tx))
      await store(2, () => ({ workspaceId: 'few', runAt: 1 }))
      await store(20_000, () => ({ workspaceId: 'flood' }))
      expect(await countRead()).toBeLessThan(50)
    },
  )

  test('takes as long for 20,000 waiting jobs of a workspace as for a few', async () => {
    await store(2, () => ({ workspaceId: 'few', runAt: 1 }))
    await store(10, () => ({ workspaceId: 'flood' }))
    const ofFew = await shortestLook()
    await engine
      .database()
      .write((tx) => tx.deleteFrom('jobs').where('workspace_id', '=', 'flood').execute())
    await store(20_000, () => ({ workspaceId: 'flood' }))
    expect(await shortestLook()).toBeLessThan(2 * ofFew + 10)
  })

  test('the jobs of the service come first, and then one of each workspace', async () => {
    await store(4, () => ({ workspaceId: 'a' }))
    await store(4, () => ({ workspaceId: 'b', runAt: 5 }))
    await store(2, () => ({ workspaceId: null, runAt: 9 }))
    expect((await find({ limit: 6 })).found).toEqual(['null', 'null', 'a', 'b', 'a', 'b'])
    expect((await find({ limit: 6, isBalancing: true })).found).not.toContain('null')
  })

  test('a job is found however many workspaces have jobs that are not due', async () => {
    const workspaces = 2 * workspacesAtOnce
    await store(workspaces, (n) => ({ workspaceId: `w${n + 1000}`, runAt: now + 1 }))
    await store(1, () => ({ workspaceId: 'x' }))
    let { found, next } = await find()
    let looks = 1
    for (; found.length === 0 && next !== ''; looks += 1)
      ({ found, next } = await find({ after: next }))
    expect(found).toEqual(['x'])
    expect(looks).toBeLessThanOrEqual(workspaces / workspacesAtOnce + 1)
  })
})

async function rowsRead(tx: Reader): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as count
    from pg_stat_xact_user_tables where relname = 'jobs'
  `.execute(tx)
  return Number(rows[0]?.count)
}
