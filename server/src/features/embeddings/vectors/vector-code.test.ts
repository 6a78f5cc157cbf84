import { expect, test } from 'vitest'
import { embed } from '#test/support/servers/embedding-server.ts'
import { codeOf, textOfCode } from './vector-code.ts'

function cosine(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let [product, a, b] = [0, 0, 0]
  for (let at = 0; at < one.length; at++) {
    const [x, y] = [one[at]!, other[at]!]
    product += x * y
    a += x * x
    b += y * y
  }
  return product / Math.sqrt(a * b)
}

const numbersOf = (code: Uint8Array) => new Int8Array(code.buffer, code.byteOffset, code.length)

test.each([256, 768, 1536])(
  'codes of %i dimensions keep a cosine to two thousandths',
  (dimensions) => {
    const texts = Array.from({ length: 30 }, (_, n) => `word${n} word${n + 1} word${n % 5} common`)
    const vectors = texts.map((text) => embed(text, 'points', dimensions))
    const codes = vectors.map((vector) => numbersOf(codeOf(vector)))
    for (const [n, vector] of vectors.entries())
      for (const [m, other] of vectors.entries())
        expect(Math.abs(cosine(codes[n]!, codes[m]!) - cosine(vector, other))).toBeLessThan(0.002)
  },
)

test('a code does not depend on the length of the vector', () => {
  expect(codeOf(Float32Array.of(0.5, -1, 0))).toEqual(codeOf(Float32Array.of(50, -100, 0)))
  expect(textOfCode(codeOf(Float32Array.of(0.5, -1, 0)))).toBe('[64,-127,0]')
})

test('a zero vector has a comparable code', () => {
  expect(textOfCode(codeOf(new Float32Array(3)))).toBe('[1,0,0]')
})
