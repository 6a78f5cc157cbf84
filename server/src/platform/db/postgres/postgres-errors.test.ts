import { expect, test } from 'vitest'
import { isFailedDisk, postgresFault } from './postgres-errors.ts'

test.each([
  { what: 'a full disk', code: '53100', file: 'md.c' },
  { what: 'an error of the device', code: '58030', file: 'md.c' },
  { what: "a file of the server's on a read-only disk", code: '42501', file: 'md.c' },
])('$what is a database that is not available', (facts) => {
  const error = Object.assign(new Error('could not extend file'), facts)
  expect(isFailedDisk(error)).toBe(true)
  expect(postgresFault(error)).toMatchObject({ code: 'database_unavailable', cause: error })
})

test('a missing privilege on a table is no failed disk', () => {
  const error = Object.assign(new Error('permission denied'), { code: '42501', file: 'aclchk.c' })
  expect(isFailedDisk(error)).toBe(false)
  expect(postgresFault(error)).toBe(error)
})
