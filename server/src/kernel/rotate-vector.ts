/**
 * Rotates a vector, always in the same way, so that every coordinate depends on many of the original
 * ones: random signs, then a fast Walsh-Hadamard transform. A length that is not a power of two is
 * transformed in two overlapping windows. Lengths and angles stay the same.
 *
 * Stored vector blocks depend on every number here.
 *
 * @param vector is changed
 */
export function rotateVector(vector: Float32Array): Float32Array {
  const window = 2 ** Math.floor(Math.log2(vector.length))
  const starts = window === vector.length ? [0] : [0, vector.length - window]
  let random = 0x9e3779b9
  for (const start of starts) {
    for (let at = 0; at < vector.length; at += 1) {
      random ^= random << 13
      random ^= random >>> 17
      random ^= random << 5
      if (random < 0) vector[at] = -(vector[at] ?? 0)
    }
    transform(vector.subarray(start, start + window))
  }
  return vector
}

function transform(part: Float32Array): void {
  for (let half = 1; half < part.length; half *= 2)
    for (let start = 0; start < part.length; start += 2 * half)
      for (let at = start; at < start + half; at += 1) {
        const [one, other] = [part[at] ?? 0, part[at + half] ?? 0]
        part[at] = one + other
        part[at + half] = one - other
      }
  const scale = 1 / Math.sqrt(part.length)
  for (let at = 0; at < part.length; at += 1) part[at] = (part[at] ?? 0) * scale
}
