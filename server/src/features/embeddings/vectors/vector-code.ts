/**
 * A vector in one byte for each number: its direction, which is all that a cosine depends on. The
 * largest number becomes 127. For vectors of some hundred dimensions a cosine changes by two
 * thousandths at most (see vector-code.test.ts), for a quarter of the bytes to store and to read.
 */
export function codeOf(vector: Float32Array): Uint8Array {
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  const code = new Int8Array(vector.length)
  // A text that the model finds nothing in has no direction; a code needs one to be compared at all.
  if (largest === 0) code[0] = 1
  else for (const [at, value] of vector.entries()) code[at] = Math.round((value / largest) * 127)
  return new Uint8Array(code.buffer)
}

/** As pgvector reads it. */
export function textOfCode(code: Uint8Array): string {
  return `[${new Int8Array(code.buffer, code.byteOffset, code.length).join(',')}]`
}
