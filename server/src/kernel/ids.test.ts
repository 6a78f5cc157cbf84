import { expect, test } from 'vitest'
import { firstIdAt, newId } from './ids.ts'

test('the first id of a time is before all ids of it and after all ids of the time before', () => {
  const id = newId()
  // Ids never go back, so another test's simulated clock may have put this one in the future.
  const time = Number.parseInt(id.slice(0, 13).replace('-', ''), 16)
  expect(firstIdAt(time) <= id).toBe(true)
  expect(firstIdAt(time + 1) > id).toBe(true)
})

test('the first id of a time that no id can have is the nearest one', () => {
  expect(firstIdAt(-1)).toBe('00000000-0000-0000-0000-000000000000')
  expect(firstIdAt(8.64e15)).toBe('ffffffff-ffff-0000-0000-000000000000')
})
