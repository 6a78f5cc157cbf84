import { describe, expect, test } from 'vitest'
import { BestEstimates } from './best-estimates.ts'
import { rotateVector } from './rotate-vector.ts'
import { blockOf, BlockQuestion } from './vector-block.ts'

/** Numbers of a normal distribution, the same on every run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
}

/** How the vectors of models may lie: each shape returns one vector. */
const shapes: Record<string, (dimensions: number, random: () => number) => () => Float32Array> = {
  'random directions': (dimensions, random) => () =>
    Float32Array.from({ length: dimensions }, random),
  'one common direction': (dimensions, random) => () =>
    Float32Array.from({ length: dimensions }, (_, at) => random() + (at % 3 === 0 ? 4 : 0)),
  'two dimensions far larger than the rest': (dimensions, random) => () =>
    Float32Array.from({ length: dimensions }, (_, at) => random() * (at < 2 ? 20 : 1)),
  'tight clusters of different sizes with duplicates': (dimensions, random) => {
    const centers = Array.from({ length: 30 }, () =>
      Float32Array.from({ length: dimensions }, random),
    )
    return () => {
      const center = centers[Math.min(29, Math.floor(Math.abs(random()) * 10))]!
      const width = random() > 1 ? 0 : 0.3
      return center.map((value) => value + width * random())
    }
  },
  'few directions': (dimensions, random) => {
    const directions = Array.from({ length: 24 }, () =>
      Float32Array.from({ length: dimensions }, random),
    )
    return () => {
      const weights = directions.map(() => random())
      return Float32Array.from({ length: dimensions }, (_, at) =>
        directions.reduce((sum, direction, n) => sum + direction[at]! * weights[n]!, 0),
      )
    }
  },
  'mostly zeros': (dimensions, random) => () => {
    const vector = new Float32Array(dimensions)
    for (let n = 0; n < 12; n++)
      vector[Math.floor(Math.abs(random()) * 1000) % dimensions]! += 1 + Math.abs(random())
    return vector
  },
}

function codeOf(vector: Float32Array): Uint8Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return new Uint8Array(Int8Array.from(vector, (value) => (value / largest) * 127).buffer)
}

function cosine(one: Uint8Array, other: Uint8Array): number {
  let [product, a, b] = [0, 0, 0]
  for (let at = 0; at < one.length; at++) {
    const [x, y] = [(one[at]! << 24) >> 24, (other[at]! << 24) >> 24]
    product += x * y
    a += x * x
    b += y * y
  }
  return product / Math.sqrt(a * b)
}

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
  const exact = codes.map((other) => cosine(code, other))
  const tenth = exact.toSorted((a, b) => b - a)[9]!
  return Math.min(10, candidates.filter((id) => exact[id]! >= tenth).length) / 10
}

describe.each([256, 1000, 3072])('blocks of vectors with %i dimensions', (dimensions) => {
  test.each(Object.keys(shapes))('find at least 95 of 100 nearest vectors: %s', (shape) => {
    const random = randomNumbers(dimensions)
    const next = shapes[shape]!(dimensions, random)
    const codes = Array.from({ length: dimensions > 1000 ? 1000 : 2000 }, () => codeOf(next()))
    const blocks = blocksOf(codes)
    const questions = Array.from({ length: 10 }, () => codeOf(next()))
    const recalls = questions.map((code) => recall(codes, blocks, code))
    expect(recalls.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(9.5)
  })
})

test.each([64, 1000])(
  'estimates of %i dimensions are off by their standard error',
  (dimensions) => {
    const next = shapes['random directions']!(dimensions, randomNumbers(7))
    const codes = Array.from({ length: perBlock }, () => codeOf(next()))
    const code = codeOf(next())
    const { cosines, error, ids } = new BlockQuestion(code).estimate(blocksOf(codes)[0]!)
    expect([...ids]).toEqual(codes.map((_, at) => at))
    const errors = codes.map((other, at) => cosines[at]! - cosine(code, other))
    const mean = errors.reduce((sum, one) => sum + one, 0) / perBlock
    const deviation = Math.sqrt(errors.reduce((sum, one) => sum + one * one, 0) / perBlock)
    expect(Math.abs(mean)).toBeLessThan(error / 5)
    expect(deviation).toBeGreaterThan(0.8 * error)
    expect(deviation).toBeLessThan(1.2 * error)
  },
)

test('a block of one vector, and bytes at an odd address, have exact estimates', () => {
  const code = codeOf(Float32Array.of(1, 2, 3))
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
