import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { SqliteConnection } from './sqlite-connection.ts'

test('rows are plain objects, also of a column that was added after the statement was prepared', () => {
  using raw = new DatabaseSync(':memory:')
  raw.exec("create table t (a integer, b text); insert into t values (1, 'x'), (2, null)")
  const connection = new SqliteConnection(raw)
  expect(connection.run('select * from t', []).rows).toStrictEqual([
    { a: 1, b: 'x' },
    { a: 2, b: null },
  ])
  raw.exec('alter table t add column c integer default 3')
  expect(connection.run('select * from t', []).rows).toStrictEqual([
    { a: 1, b: 'x', c: 3 },
    { a: 2, b: null, c: 3 },
  ])
  expect(connection.run('select * from t where a = ?', [9]).rows).toEqual([])
})
