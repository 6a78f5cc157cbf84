import { describe, expect, inject, test } from 'vitest'
import { readConfig } from '#config'
import { checkReplica } from './doctor-replica.ts'

const url = inject('postgresUrl')
const key = { SECRET_KEY: 'ab'.repeat(32) }

// A standby that is used is tested in platform/db/postgres/postgres-replica.test.ts.
describe.skipIf(url === '')('doctor', () => {
  const found = (readUrl: string) =>
    checkReplica(readConfig({ DATABASE_URL: url, DATABASE_READ_URL: readUrl, ...key }))

  test('reports a read replica that is no standby, or that does not answer', async () => {
    expect(await found(url)).toMatchObject([
      { check: 'read replica', ok: false, note: expect.stringContaining('it is not a standby') },
    ])
    expect(await found('postgres://postgres@127.0.0.1:1/postgres')).toMatchObject([
      { check: 'read replica', ok: false, note: expect.stringContaining('does not answer') },
    ])
    expect(await checkReplica(readConfig({ DATABASE_URL: url, ...key }))).toEqual([])
  })
})

test('a read replica needs a primary', () => {
  expect(() => readConfig({ DATABASE_READ_URL: 'postgres://standby/parley' })).toThrow(
    'DATABASE_READ_URL is a standby of DATABASE_URL',
  )
})
