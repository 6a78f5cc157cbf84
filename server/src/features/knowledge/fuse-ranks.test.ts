import { describe, expect, test } from 'vitest'
import { fuseRanks, weightOfVectors } from './fuse-ranks.ts'

const scored = (...ids: number[]) =>
  ids.map((chunkId, at) => ({ chunkId, sourceId: `s${chunkId}`, score: 10 - at }))
const near = (...ids: number[]) =>
  ids.map((chunkId, at) => ({ chunkId, sourceId: `s${chunkId}`, similarity: 0.9 - at / 100 }))
const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n)

describe('fusing ranks', () => {
  test('a chunk scores the reciprocal of 60 and its rank in each list', () => {
    const fused = fuseRanks(scored(1, 2, 3), near(3, 1, 4), 1)
    expect(fused.map(({ chunkId }) => chunkId)).toEqual([1, 3, 2, 4])
    expect(fused[0]!.score).toBeCloseTo(1 / 61 + 1 / 62, 12)
    expect(fused[0]!.why).toEqual({
      fulltext: { rank: 1, score: 10 },
      vector: { rank: 2, similarity: 0.89 },
    })
    expect(fused[3]!.why).toEqual({ fulltext: null, vector: { rank: 3, similarity: 0.88 } })
  })

  test('vectors of no weight leave the order of full text as it is', () => {
    const order = fuseRanks(scored(1, 2, 3), near(9, 3, 2), 0).map(({ chunkId }) => chunkId)
    expect(order).toEqual([1, 2, 3, 9])
  })

  test.each([
    ['nothing in common', range(100, 20), 0, 0],
    ['half in common', [...range(1, 10), ...range(100, 10)], 0, 0.0625],
    ['all in common', range(1, 20), 0, 0.25],
    ['nothing in common, half of the words unknown', range(100, 20), 0.5, 0.25],
    ['nothing in common, no word known', range(100, 20), 1, 1],
  ])('lists with %s', (_, ids, unknownPart, weight) => {
    const lists = { fulltext: scored(...range(1, 20)), vector: near(...ids) }
    expect(weightOfVectors(lists, { chunks: 1000, unknownPart })).toBeCloseTo(weight, 12)
  })

  test('vectors count in full where full text finds nothing, and among few chunks', () => {
    const vector = near(1, 2, 3)
    const known = { unknownPart: 0 }
    expect(weightOfVectors({ fulltext: [], vector }, { chunks: 1000, ...known })).toBe(1)
    expect(weightOfVectors({ fulltext: scored(9), vector }, { chunks: 40, ...known })).toBe(1)
  })
})
