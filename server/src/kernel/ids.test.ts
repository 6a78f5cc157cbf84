import { expect, test } from 'vitest'
import { firstIdAt, isUuid, newId } from './ids.ts'

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

test('ids are different UUIDs of version 7 in the order of their creation, however many in a millisecond', () => {
  const now = Date.now()
  const ids = Array.from({ length: 10_000 }, (_, n) => newId(now + Math.floor(n / 9_000)))
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.toSorted()).toEqual(ids)
  expect(
    ids.filter((id) => !isUuid(id) || !/^.{14}7.{4}[89ab]/.test(id) || id.length !== 36),
  ).toEqual([])
})
