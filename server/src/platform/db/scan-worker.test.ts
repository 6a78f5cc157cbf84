import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { migrateSqlite } from './migrate-sqlite.ts'
import { ScanWorker } from './scan-worker-client.ts'

const log = pino({ level: 'silent' })

describe('the scan worker', () => {
  let folder = ''
  let file = ''
  let worker: ScanWorker
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
    file = join(folder, 'parley.sqlite')
    worker = new ScanWorker(file)
  })
  afterEach(async () => {
    await worker.close()
    await rm(folder, { recursive: true, force: true })
  })

  test('does not block the calling thread', async () => {
    await migrateSqlite({ file, log })
    await worker.run('select 1', [])
    let ticks = 0
    const ticking = setInterval(() => (ticks += 1), 5)
    const long = `with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000000)
      select count(*) as count from n`
    const startedAt = performance.now()
    const { rows } = await worker.run<{ count: number }>(long, [])
    const ms = performance.now() - startedAt
    clearInterval(ticking)
    expect(rows).toStrictEqual([{ count: 3_000_000 }])
    expect(ticks).toBeGreaterThan(ms / 5 / 4)
  })

  test('returns plain objects and bytes, and accepts only primitives', async () => {
    await migrateSqlite({ file, log })
    const { rows } = await worker.run('select ? as text, ? as bytes, null as absent', [
      'a',
      Uint8Array.of(1, 2),
    ])
    expect(rows).toEqual([{ text: 'a', bytes: Uint8Array.of(1, 2), absent: null }])
    expect(Object.getPrototypeOf(rows[0])).toBe(Object.prototype)
    await expect(worker.run('select ?', [{}])).rejects.toThrow('primitives only')
  })

  test('cannot write', async () => {
    await migrateSqlite({ file, log })
    await expect(worker.run('delete from sequences', [])).rejects.toThrow('readonly')
  })

  test('a failed statement does not affect others', async () => {
    await migrateSqlite({ file, log })
    const [bad, good] = await Promise.allSettled([
      worker.run('select nonsense', []),
      worker.run('select 1 as one', []),
    ])
    expect(bad).toMatchObject({ status: 'rejected' })
    expect(good).toMatchObject({ status: 'fulfilled', value: { rows: [{ one: 1 }] } })
  })

  test('that dies rejects its queries, and the next query starts another', async () => {
    // Without a file to open the thread ends with an uncaught error.
    const asked = [worker.run('select 1', []), worker.run('select 2', [])]
    for (const outcome of await Promise.allSettled(asked))
      expect(outcome).toMatchObject({ reason: { code: 'database_unavailable' } })
    await migrateSqlite({ file, log })
    expect(await worker.run('select 1 as one', [])).toEqual({ rows: [{ one: 1 }] })
  })

  test('ends after a long idle time, and the next query starts another', async () => {
    await migrateSqlite({ file, log })
    const impatient = new ScanWorker(file, { idleMs: 1 })
    const threads = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort')
    const before = threads().length
    for (let round = 0; round < 3; round += 1) {
      expect(await impatient.run('select 1 as one', [])).toEqual({ rows: [{ one: 1 }] })
      await vi.waitFor(() => expect(threads()).toHaveLength(before))
    }
    await impatient.close()
  })

  test('on a file that is not a database is a fault', async () => {
    await writeFile(file, 'no database '.repeat(1_000))
    const asked = worker.run('select name from sequences', [])
    await expect(asked).rejects.toMatchObject({ code: 'database_unavailable' })
  })

  test('that was closed accepts no queries and resolves none late', async () => {
    await migrateSqlite({ file, log })
    const long = worker.run(
      'with recursive n (i) as (select 1 union all select i + 1 from n) select max(i) from n',
      [],
    )
    const outcome = expect(long).rejects.toMatchObject({ code: 'database_unavailable' })
    await worker.close()
    await outcome
    await expect(worker.run('select 1', [])).rejects.toThrow('closed')
  })
})
