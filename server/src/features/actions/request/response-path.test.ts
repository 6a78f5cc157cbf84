import { describe, expect, test } from 'vitest'
import { followPath, parseResponsePath } from './response-path.ts'

const value = {
  data: { items: [{ name: 'a', tags: ['x'] }, { name: 'b' }], 'a.b': 1, by: { x: 1, y: 2 } },
  none: null,
}

describe('A response path selects', () => {
  test.each([
    ['', value],
    ['$', value],
    ['data.items[0].name', 'a'],
    ['$.data.items[1].name', 'b'],
    ['data.items[*].name', ['a', 'b']],
    ['data.items.*.name', ['a', 'b']],
    ['data.items[*].tags', [['x']]],
    ['data["a.b"]', 1],
    ["data['a.b']", 1],
    ['data.by.*', [1, 2]],
    ['none', null],
    ['data.items[5]', undefined],
    ['data.items[0].name.first', undefined],
    ['data.items[*].missing', []],
    ['constructor', undefined],
    ['__proto__', undefined],
    ['data.items.0.name', 'a'],
  ])('%s: %j', async (path, found) => {
    expect(await followPath(value, parseResponsePath(path)!)).toEqual(found)
  })
})

test('A long response path is followed in many values within a short time', async () => {
  const path = parseResponsePath(`[*]${'.a'.repeat(240)}`)
  const before = process.threadCpuUsage()
  expect(
    await followPath(
      Array.from({ length: 100_000 }, () => 1),
      path!,
    ),
  ).toEqual([])
  expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000)
})

describe('A response path is invalid', () => {
  test.each(['a..b', '.a', 'a[', 'a[-1]', 'a[b]', 'a]'])('when it reads %s', (path) => {
    expect(parseResponsePath(path)).toBeNull()
  })
})
