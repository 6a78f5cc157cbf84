import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { pageOf, readCursor } from './page.ts'

const byNumber = { key: (n: number) => n, item: (n: number) => n }

describe('a page of a list', () => {
  test('a cursor returns the key that it was created from', () => {
    const { nextCursor } = pageOf([1, 2, 3], 2, byNumber)
    expect(readCursor(nextCursor ?? undefined, z.int())).toBe(2)
  })

  test('contains at most the limit, and a cursor only if there is more', () => {
    expect(pageOf([1, 2, 3], 2, byNumber).items).toEqual([1, 2])
    expect(pageOf([1, 2], 2, byNumber)).toEqual({ items: [1, 2], nextCursor: null })
    expect(pageOf([], 2, byNumber)).toEqual({ items: [], nextCursor: null })
  })

  test('no cursor is the first page', () => {
    expect(readCursor(undefined, z.int())).toBeUndefined()
  })

  test.each(['', 'x', '%%%', 'bnVsbA', Buffer.from('"text"').toString('base64url'), 'é'])(
    'a cursor that this list did not give is invalid input: %j',
    (cursor) => {
      expect(() => readCursor(cursor, z.int())).toThrow(
        expect.objectContaining({ code: 'invalid_input' }),
      )
    },
  )
})
