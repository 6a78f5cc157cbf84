import { describe, expect, test } from 'vitest'
import { followPath, parseResponsePath } from './response-path.ts'

const value = {
  data: { items: [{ name: 'a', tags: ['x'] }, { name: 'b' }], 'a.b': 1, by: { x: 1, y: 2 } },
  none: null,
}

describe('A response path leads', () => {
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
  ])('by %s to %j', (path, found) => {
    expect(followPath(value, parseResponsePath(path)!)).toEqual(found)
  })
})

describe('It is no response path', () => {
  test.each(['a..b', '.a', 'a[', 'a[-1]', 'a[b]', 'a]'])('when it reads %s', (path) => {
    expect(parseResponsePath(path)).toBeNull()
  })
})
