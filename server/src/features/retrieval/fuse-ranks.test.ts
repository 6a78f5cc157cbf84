import { describe, expect, test } from 'vitest'
import { byVector, fuseRanks, weightOfVectors } from './fuse-ranks.ts'
import { byFulltext } from './retrieve.ts'

const scored = (...ids: number[]) =>
  byFulltext(ids.map((chunkId, at) => ({ chunkId, sourceId: `s${chunkId}`, score: 10 - at })))
const near = (...ids: number[]) =>
  byVector(
    ids.map((chunkId, at) => ({ chunkId, sourceId: `s${chunkId}`, similarity: 0.9 - at / 100 })),
  )
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

  test('vectors with a weight of 0 do not change the order of full text', () => {
    const order = fuseRanks(scored(1, 2, 3), near(9, 3, 2), 0).map(({ chunkId }) => chunkId)
    expect(order).toEqual([1, 2, 3, 9])
  })

  test('if full text knows at least half of the words, vectors do not change its order', () => {
    const order = range(1, 100)
    const backwards = near(...order.toReversed(), 101, 102)
    for (const unknownPart of [0, 0.2, 0.5]) {
      const fused = fuseRanks(scored(...order), backwards, weightOfVectors(unknownPart))
      expect(fused.map(({ chunkId }) => chunkId)).toEqual([...order, 101, 102])
    }
  })

  test('if it knows fewer, both count the same', () => {
    const fused = fuseRanks(scored(1, 2), near(3, 2), weightOfVectors(0.51))
    expect(fused.map(({ chunkId }) => chunkId)).toEqual([2, 1, 3])
    expect(weightOfVectors(1)).toBe(1)
  })
})
