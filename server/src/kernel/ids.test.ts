import { expect, test } from 'vitest'
import { firstIdAt, newId } from './ids.ts'

test('the first id of a time is before all ids of it and after all ids of the time before', () => {
  const time = Date.now() + 1_000
  const id = newId(time)
  expect(firstIdAt(time) <= id).toBe(true)
  expect(firstIdAt(time + 1) > id).toBe(true)
})

test('the first id of a time that no id can have is the nearest one', () => {
  expect(firstIdAt(-1)).toBe('00000000-0000-0000-0000-000000000000')
  expect(firstIdAt(8.64e15)).toBe('ffffffff-ffff-0000-0000-000000000000')
})
