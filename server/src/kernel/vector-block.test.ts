import { describe, expect, test } from 'vitest'
import {
  codeOfVector,
  cosineOfCodes,
  randomNumbers,
  vectorShapes,
} from '#test/support/knowledge/vector-shapes.ts'
import { BestEstimates } from './best-estimates.ts'
import { rotateVector } from './rotate-vector.ts'
import { blockOf, BlockQuestion } from './vector-block.ts'

const perBlock = 500

function blocksOf(codes: readonly Uint8Array[]): Uint8Array[] {
  const blocks: Uint8Array[] = []
  for (let first = 0; first < codes.length; first += perBlock) {
    const some = codes.slice(first, first + perBlock)
    blocks.push(
      blockOf(
        some.map((_, at) => first + at),
        some,
      ),
    )
  }
  return blocks
}

/** The share of the ten nearest vectors that are among the candidates. */
function recall(codes: readonly Uint8Array[], blocks: readonly Uint8Array[], code: Uint8Array) {
  const question = new BlockQuestion(code)
  const best = new BestEstimates({ wanted: 50, most: 300 })
  for (const block of blocks) best.add(question.estimate(block))
  const candidates = best.end()
  expect(candidates.length).toBeLessThanOrEqual(300)
  expect(new Set(candidates).size).toBe(candidates.length)
  const exact = codes.map((other) => cosineOfCodes(code, other))
  const tenth = exact.toSorted((a, b) => b - a)[9]!
  return Math.min(10, candidates.filter((id) => exact[id]! >= tenth).length) / 10
}

describe.each([256, 1000, 3072])('blocks of vectors with %i dimensions', (dimensions) => {
  test.each(Object.keys(vectorShapes))('find at least 95 of 100 nearest vectors: %s', (shape) => {
    const random = randomNumbers(dimensions)
    const next = vectorShapes[shape]!(dimensions, random)
    const codes = Array.from({ length: dimensions > 1000 ? 1000 : 2000 }, () =>
      codeOfVector(next()),
    )
    const blocks = blocksOf(codes)
    const questions = Array.from({ length: 10 }, () => codeOfVector(next()))
    const recalls = questions.map((code) => recall(codes, blocks, code))
    expect(recalls.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(9.5)
  })
})

test.each([64, 1000])(
  'estimates of %i dimensions are off by their standard error',
  (dimensions) => {
    const next = vectorShapes['random directions']!(dimensions, randomNumbers(7))
    const codes = Array.from({ length: perBlock }, () => codeOfVector(next()))
    const code = codeOfVector(next())
    const { cosines, error, ids } = new BlockQuestion(code).estimate(blocksOf(codes)[0]!)
    expect([...ids]).toEqual(codes.map((_, at) => at))
    const errors = codes.map((other, at) => cosines[at]! - cosineOfCodes(code, other))
    const mean = errors.reduce((sum, one) => sum + one, 0) / perBlock
    const deviation = Math.sqrt(errors.reduce((sum, one) => sum + one * one, 0) / perBlock)
    expect(Math.abs(mean)).toBeLessThan(error / 5)
    expect(deviation).toBeGreaterThan(0.8 * error)
    expect(deviation).toBeLessThan(1.2 * error)
  },
)

test('a block of one vector, and bytes at an odd address, have exact estimates', () => {
  const code = codeOfVector(Float32Array.of(1, 2, 3))
  const block = blockOf([4_000_000_000], [code])
  const moved = new Uint8Array(block.length + 1)
  moved.set(block, 1)
  for (const bytes of [block, moved.subarray(1)]) {
    const { ids, cosines } = new BlockQuestion(code).estimate(bytes)
    expect([...ids]).toEqual([4_000_000_000])
    expect(cosines[0]).toBeCloseTo(1, 5)
  }
})

test.each([1, 3, 64, 96, 1536])('a rotation of %i dimensions keeps lengths and angles', (size) => {
  const random = randomNumbers(size)
  const [one, other] = [0, 1].map(() => Float32Array.from({ length: size }, random))
  const product = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, at) => sum + value * b[at]!, 0)
  const [turned, turnedOther] = [rotateVector(one!.slice()), rotateVector(other!.slice())]
  expect(product(turned, turned)).toBeCloseTo(product(one!, one!), 2)
  expect(product(turned, turnedOther)).toBeCloseTo(product(one!, other!), 2)
})

test('stored blocks depend on the rotation: it never changes', () => {
  const turned = rotateVector(Float32Array.of(1, 2, 3, 4, 5, 6))
  expect([...turned].map((value) => value.toFixed(3))).toMatchInlineSnapshot(`
    [
      "-3.000",
      "-1.000",
      "1.500",
      "-2.500",
      "0.500",
      "8.500",
    ]
  `)
})
