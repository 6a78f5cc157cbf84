import { Client } from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import {
  cleansUp,
  emptyFolder,
  parley,
  startParley,
} from '#test/support/processes/parley-process.ts'
import {
  completePostgresAbsence,
  startArchivedPostgres,
  type ArchivedPostgres,
} from '#test/support/databases/archived-postgres.ts'
import { until } from '#test/support/until.ts'
import { callOperation } from './call-operation.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'

const absence = completePostgresAbsence()
const because = absence === null ? '' : ` (skipped: ${absence})`

cleansUp()

describe.skipIf(absence !== null)(`point-in-time recovery${because}`, () => {
  let server: ArchivedPostgres

  afterAll(() => server.stop())

  async function query<T>(sql: string): Promise<T> {
    const client = new Client({ connectionString: server.url })
    await client.connect()
    const { rows } = await client.query<{ value: T }>(sql)
    await client.end()
    if (rows[0] === undefined) throw new Error('the query returned no row')
    return rows[0].value
  }

  test('brings the instance back as it was before a mistake, and the service continues', async () => {
    server = await startArchivedPostgres()
    const dataDir = await emptyFolder()
    const environment = serviceEnvironment({ dataDir, databaseUrl: server.url })
    const create = (name: string) => callOperation(environment, 'create_app', { name })
    await create('In the base backup')
    await server.backUp()
    const { id: app_id } = await create('After the base backup')
    const before = await query<Date>('select clock_timestamp() as value')
    await callOperation(environment, 'delete_app', { app_id })
    await create('After the mistake')
    const last = await query<string>('select pg_walfile_name(pg_switch_wal()) as value')
    await until('the log is archived', () =>
      query<boolean>(`select last_archived_wal >= '${last}' as value from pg_stat_archiver`),
    )
    await server.lose()
    const lostAt = performance.now()

    const databaseUrl = await server.recover(before)
    const recovered = serviceEnvironment({ dataDir, databaseUrl })
    const service = await startParley(recovered)
    expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
    const healthyAfterMs = performance.now() - lostAt
    const { items } = await callOperation(recovered, 'list_apps', {})
    const names = items.map(({ name }: { name: string }) => name)
    const kept = ['After the base backup', 'In the base backup']
    expect(names).toEqual(kept)
    await callOperation(recovered, 'create_app', { name: 'After the recovery' })
    expect(await parley(['audit', 'verify'], recovered)).toMatchObject({ code: 0 })
    const fault = 'A mistake, and PostgreSQL recovered to the moment before it'
    const tries = kept.length
    recordFault({ fault, engine: 'postgres', tries, lost: 0, failed: 0, healthyAfterMs })
  })
})
