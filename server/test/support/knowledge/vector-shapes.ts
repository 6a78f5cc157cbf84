/** Numbers of a normal distribution, the same on every run. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
}

type Shape = (dimensions: number, random: () => number) => () => Float32Array

/** How the vectors of models may lie; each call of the result returns another vector. */
export const vectorShapes: Readonly<Record<string, Shape>> = {
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

/** One signed byte per dimension, as they are stored. */
export function codeOfVector(vector: Float32Array): Uint8Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return new Uint8Array(Int8Array.from(vector, (value) => (value / largest) * 127).buffer)
}

export function cosineOfCodes(one: Uint8Array, other: Uint8Array): number {
  let [product, a, b] = [0, 0, 0]
  for (let at = 0; at < one.length; at++) {
    const [x, y] = [(one[at]! << 24) >> 24, (other[at]! << 24) >> 24]
    product += x * y
    a += x * x
    b += y * y
  }
  return product / Math.sqrt(a * b)
}
