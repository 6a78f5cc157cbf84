import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { firstWord, prove } from './proof.ts'

const wanted = (text: string) => createHash('sha256').update(text).digest().readUInt32BE(0)

test('the hash is SHA-256, for texts of every length up to three blocks', () => {
  for (let length = 0; length <= 192; length += 1) {
    const text = 'a1.-_Z'.repeat(40).slice(0, length)
    expect(firstWord(text)).toBe(wanted(text))
  }
})

test('a proof begins with its challenge and has the zero bits', async () => {
  const proof = await prove('1700000000000.abc.def', 12)
  expect(proof).toMatch(/^1700000000000\.abc\.def \d+$/)
  expect(wanted(proof) >>> 20).toBe(0)
})
