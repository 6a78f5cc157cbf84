import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PostingWriter } from './postings.ts'
import { readPostings } from './rank-segments.ts'
import { tierOf } from './segment-store.ts'

describe('the postings of a term', () => {
  const list = fc
    .uniqueArray(fc.integer({ min: 0, max: 65_535 }), { maxLength: 300 })
    .chain((numbers) =>
      fc.tuple(
        fc.constant(numbers.toSorted((one, other) => one - other)),
        fc.array(fc.integer({ min: 1, max: 100_000 }), {
          minLength: numbers.length,
          maxLength: numbers.length,
        }),
      ),
    )

  test('are read as they were written', () => {
    fc.assert(
      fc.property(list, ([numbers, frequencies]) => {
        const writer = new PostingWriter()
        for (const [at, number] of numbers.entries()) writer.add(number, frequencies[at] ?? 1)
        expect(writer.count).toBe(numbers.length)
        const read = readPostings(writer.end(), writer.count)
        expect([...read.numbers.subarray(0, read.count)]).toEqual(numbers)
        expect([...read.frequencies.subarray(0, read.count)]).toEqual(frequencies)
      }),
    )
  })

  test('take one byte for a chunk that is near the one before and contains the term once', () => {
    const writer = new PostingWriter()
    for (let number = 0; number < 1000; number += 50) writer.add(number, 1)
    expect(writer.end()).toHaveLength(20)
  })
})

test('a segment of eight times the size belongs to the next tier', () => {
  expect([1, 511, 512, 4095, 4096, 32_767, 32_768, 65_536].map(tierOf)).toEqual([
    0, 0, 1, 1, 2, 2, 3, 3,
  ])
})
