import { expect, test } from 'vitest'
import { rowOf, worded, type RowsByCode, type RowsByKind, type Without } from './fault-table.ts'
import { defineFaults, Fault, faultKinds, withFacts } from './fault.ts'

const faults = defineFaults({
  key_unknown: 'not_found',
  key_used: 'conflict',
  too_many_keys: withFacts<{ allowed: number }>('conflict'),
})

interface Row {
  readonly status: number
}

const row = { status: 400, message: 'Refused' }
// Object.fromEntries cannot keep the literal kinds.
const byKind = Object.fromEntries(faultKinds.map((kind) => [kind, row])) as RowsByKind<Row>
const byCode: RowsByCode<Without<typeof faults, 'key_used'>, Row> = {
  key_unknown: { status: 404, message: 'There is no such key' },
  too_many_keys: ({ allowed }) => `At most ${allowed} keys`,
}
const table = { byKind, byCode }

test('a row overrides the row of its kind, and a code without a row uses that one', () => {
  expect(worded(new Fault(faults.too_many_keys, { allowed: 3 }), table)).toEqual({
    status: 400,
    message: 'At most 3 keys',
  })
  expect(rowOf(faults.key_unknown, table).status).toBe(404)
  expect(worded(new Fault(faults.key_used), table)).toEqual(row)
})

test('an error that is not a fault reveals nothing about itself', () => {
  expect(worded(new Error('password=hunter2'), table)).toEqual(row)
})

test('a table does not compile with a missing, misspelt or mistyped row', () => {
  type Rows = RowsByCode<Without<typeof faults, 'key_used'>, Row>
  // @ts-expect-error too_many_keys has no row
  const missing: Rows = { key_unknown: 'Unknown' }
  // @ts-expect-error there is no code key_unknwon
  const misspelt: Rows = { ...byCode, key_unknwon: 'Unknown' }
  // @ts-expect-error too_many_keys has no fact limit
  const mistyped: Rows = { ...byCode, too_many_keys: ({ limit }) => `${limit}` }
  // @ts-expect-error a code that is left out must exist
  const left: Without<typeof faults, 'key_lost'> = faults
  expect([missing, misspelt, mistyped, left]).toHaveLength(4)
})
