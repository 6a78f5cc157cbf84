import { expect, test } from 'vitest'
import { commonFaults, defineFaults, Fault } from '#kernel/fault.ts'
import { explainFailures } from './explain-failure.ts'

const place = { databaseUrl: undefined, dataDir: './data' }

function failing(code: string): Promise<unknown> {
  const error = Object.assign(new Error('no stack is shown'), { code, syscall: 'open' })
  return explainFailures(place, () => Promise.reject(error))
}

test.each([
  ['EACCES', /^the data folder \.\/data cannot be written: .*DATA_DIR/],
  ['EROFS', /^the data folder \.\/data cannot be written: .*DATA_DIR/],
  ['ENOTDIR', /^the data folder \.\/data is not a folder: .*DATA_DIR/],
  ['ENOSPC', /^no space is left for the data folder \.\/data: .*DATA_DIR/],
  ['EDQUOT', /^no space is left for the data folder \.\/data: .*DATA_DIR/],
  ['ENAMETOOLONG', /^the data folder \.\/data cannot be used \(ENAMETOOLONG\): .*DATA_DIR/],
  ['ELOOP', /^the data folder \.\/data cannot be used \(ELOOP\): .*DATA_DIR/],
])('%s of the data folder becomes one line with a fix', async (code, line) => {
  await expect(failing(code)).rejects.toMatchObject({
    name: 'CommandFailure',
    lines: [expect.stringMatching(line)],
  })
})

const onPostgres = { ...place, databaseUrl: 'postgres://parley:hush-hush@db:5432/parley' }

/** The fault of an open database. */
function lost(code: object): Fault {
  const cause = Object.assign(new Error('no stack is shown'), code)
  return new Fault(commonFaults.database_unavailable, {}, { cause })
}

test.each([
  [
    place,
    lost({ code: 'ERR_SQLITE_ERROR', errcode: 13 }),
    /^no space is left for the database in /,
  ],
  [place, lost({ code: 'ERR_SQLITE_ERROR', errcode: 778 }), /^the disk of \.\/data fails /],
  [onPostgres, lost({ code: '53100' }), /^PostgreSQL at db:5432\/parley has no space left: /],
  [onPostgres, lost({ code: '58030' }), /^the disk of PostgreSQL at db:5432\/parley fails /],
  [onPostgres, lost({ code: '53300' }), /^PostgreSQL at \S+ grants no further connection: /],
  [onPostgres, lost({}), /^PostgreSQL at db:5432\/parley cannot be reached \(no stack is shown\)/],
])('%j: a database that was open and fails is one line, too', async (where, error, line) => {
  await expect(explainFailures(where, () => Promise.reject(error))).rejects.toMatchObject({
    name: 'CommandFailure',
    lines: [expect.stringMatching(line)],
  })
})

const { refused } = defineFaults({ refused: 'conflict' })

test.each([
  ['a refusal by a feature', onPostgres, new Fault(refused)],
  ['a statement of ours', onPostgres, Object.assign(new Error('no'), { code: '42601' })],
  [
    'a file of our own',
    place,
    Object.assign(new Error('no'), { code: 'ENOENT', syscall: 'open', path: '/docs/none.md' }),
  ],
])('%s is not blamed on the instance', async (_, where, error) => {
  await expect(explainFailures(where, () => Promise.reject(error))).rejects.toBe(error)
})

test('an unexpected error is passed on unchanged', async () => {
  const error = new TypeError('a mistake of ours')
  await expect(explainFailures(place, () => Promise.reject(error))).rejects.toBe(error)
})
