import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inPieces } from './byte-pieces.ts'

const bytes = fc.uint8Array({ maxLength: 20 })

test('all pieces but the last have the size, and together they are the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(bytes), fc.integer({ min: 1, max: 9 }), async (given, size) => {
      const pieces = await Array.fromAsync(inPieces(given, size))
      expect(Buffer.concat(pieces)).toEqual(Buffer.concat(given))
      for (const piece of pieces.slice(0, -1)) expect(piece).toHaveLength(size)
      for (const piece of pieces) expect(piece.length).toBeGreaterThan(0)
    }),
  )
})
