import { rotateVector } from './rotate-vector.ts'

/**
 * A block holds some vectors in one bit per dimension, for finding those that may be near a question
 * (RaBitQ: Gao and Long, SIGMOD 2024). Each vector is rotated; its bits are the signs of its
 * differences from the block's mean. Two numbers per vector, `factor` and `offset`, turn the sum of
 * the question's coordinates with these signs into an estimate of the cosine, which is right on
 * average and off by about `0.75 / sqrt(dimensions)` times the vector's distance from the mean.
 *
 * The bytes: ids (uint32), mean (float32), factors and offsets (float32), bits. Little-endian, as every
 * machine that Node runs on stores numbers.
 */
export interface VectorBlock {
  readonly ids: Uint32Array
  /** Rotated, one number per dimension. */
  readonly mean: Float32Array
  readonly factors: Float32Array
  readonly offsets: Float32Array
  /** For each vector its bits, lowest first, in whole bytes. */
  readonly bits: Uint8Array
}

/** @param code int8 per dimension: a direction */
export function rotatedDirection(code: Uint8Array): Float32Array {
  const vector = Float32Array.from(new Int8Array(code.buffer, code.byteOffset, code.length))
  let squares = 0
  for (const value of vector) squares += value * value
  const scale = 1 / Math.sqrt(squares)
  for (const [at, value] of vector.entries()) vector[at] = value * scale
  return rotateVector(vector)
}

/** @param codes all of the same, at least one, dimension */
export function blockOf(ids: readonly number[], codes: readonly Uint8Array[]): Uint8Array {
  const dimensions = codes[0]?.length ?? 0
  const bytes = new Uint8Array(ids.length * bytesPerVector(dimensions) + 4 * dimensions)
  const block = viewBlock(bytes, dimensions)
  block.ids.set(ids)
  const vectors = codes.map(rotatedDirection)
  for (const vector of vectors)
    for (let at = 0; at < dimensions; at += 1)
      block.mean[at] = (block.mean[at] ?? 0) + (vector[at] ?? 0) / vectors.length
  for (const [number, vector] of vectors.entries()) encode(block, number, vector)
  return bytes
}

function encode(
  { mean, factors, offsets, bits }: VectorBlock,
  number: number,
  vector: Float32Array,
) {
  const first = number * Math.ceil(mean.length / 8)
  let [squares, sum, meanProduct, meanSum] = [0, 0, 0, 0]
  for (let at = 0; at < mean.length; at += 1) {
    const center = mean[at] ?? 0
    const rest = (vector[at] ?? 0) - center
    const sign = rest >= 0 ? 1 : -1
    if (sign === 1) bits[first + (at >> 3)] = (bits[first + (at >> 3)] ?? 0) | (1 << (at & 7))
    squares += rest * rest
    sum += rest * sign
    meanProduct += center * rest
    meanSum += center * sign
  }
  const factor = sum === 0 ? 0 : squares / sum
  factors[number] = factor
  offsets[number] = meanProduct - factor * meanSum
}

function bytesPerVector(dimensions: number): number {
  return 4 + 8 + Math.ceil(dimensions / 8)
}

export function viewBlock(given: Uint8Array, dimensions: number): VectorBlock {
  // Numbers can be viewed only at a multiple of their size.
  const bytes = given.byteOffset % 4 === 0 ? given : given.slice()
  const { buffer } = bytes
  const count = (bytes.length - 4 * dimensions) / bytesPerVector(dimensions)
  let at = bytes.byteOffset
  const next = (size: number) => (at += size) - size
  return {
    ids: new Uint32Array(buffer, next(4 * count), count),
    mean: new Float32Array(buffer, next(4 * dimensions), dimensions),
    factors: new Float32Array(buffer, next(4 * count), count),
    offsets: new Float32Array(buffer, next(4 * count), count),
    bits: new Uint8Array(buffer, at, count * Math.ceil(dimensions / 8)),
  }
}

/** The vectors of a block with their estimated cosines to a question. */
export interface Estimates {
  readonly ids: Uint32Array
  readonly cosines: Float32Array
  /** The mean standard error. */
  readonly error: number
}

/**
 * The standard error of an estimate in factors of its vector: with the signs of random coordinates,
 * a factor is `sqrt(pi / 2)` and the error `sqrt(pi / 2 - 1)` times `distance / sqrt(dimensions)`.
 */
const errorPerFactor = Math.sqrt(1 - 2 / Math.PI)

/** A question, prepared for estimating its cosine to the vectors of any number of blocks. */
export class BlockQuestion {
  private readonly vector: Float32Array
  /** For each byte of a vector's bits and each of its values, the sum of the signed coordinates. */
  private readonly sums: Float32Array

  constructor(code: Uint8Array) {
    this.vector = rotatedDirection(code)
    this.sums = sumsOf(this.vector)
  }

  estimate(bytes: Uint8Array): Estimates {
    const { vector, sums } = this
    const { ids, mean, factors, offsets, bits } = viewBlock(bytes, vector.length)
    const perVector = Math.ceil(vector.length / 8)
    const cosines = new Float32Array(ids.length)
    let [center, factorSum] = [0, 0]
    for (let at = 0; at < vector.length; at += 1) center += (vector[at] ?? 0) * (mean[at] ?? 0)
    // Nearly all models have a multiple of 32 dimensions. Reading words takes two thirds of the time.
    const inWords = perVector % 4 === 0
    const words = inWords ? new Uint32Array(bits.buffer, bits.byteOffset, bits.length / 4) : bits
    const step = inWords ? perVector / 4 : perVector
    for (let number = 0; number < cosines.length; number += 1) {
      const first = number * step
      const sum = inWords
        ? sumOfWords(sums, words, first, first + step)
        : sumOfBytes(sums, words, first, first + step)
      const factor = factors[number] ?? 0
      factorSum += factor
      cosines[number] = center + factor * sum + (offsets[number] ?? 0)
    }
    return { ids, cosines, error: (errorPerFactor * factorSum) / Math.max(1, ids.length) }
  }
}

type Bits = Uint8Array | Uint32Array

/** Four sums, because each addition waits for the one before. */
function sumOfWords(sums: Float32Array, words: Bits, first: number, end: number): number {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  for (let at = first, table = 0; at < end; at += 1, table += 1024) {
    const word = words[at] ?? 0
    a += sums[table + (word & 255)] ?? 0
    b += sums[table + 256 + ((word >>> 8) & 255)] ?? 0
    c += sums[table + 512 + ((word >>> 16) & 255)] ?? 0
    d += sums[table + 768 + (word >>> 24)] ?? 0
  }
  return a + b + c + d
}

function sumOfBytes(sums: Float32Array, bytes: Bits, first: number, end: number): number {
  let sum = 0
  for (let at = first, table = 0; at < end; at += 1, table += 256)
    sum += sums[table + (bytes[at] ?? 0)] ?? 0
  return sum
}

function sumsOf(vector: Float32Array): Float32Array {
  const sums = new Float32Array(Math.ceil(vector.length / 8) * 256)
  for (let first = 0, table = 0; first < vector.length; first += 8, table += 256) {
    const eight = vector.subarray(first, first + 8)
    sums[table] = -eight.reduce((sum, value) => sum + value, 0)
    for (const [bit, value] of eight.entries())
      for (let low = 0; low < 1 << bit; low += 1)
        sums[table + (1 << bit) + low] = (sums[table + low] ?? 0) + 2 * value
  }
  return sums
}
