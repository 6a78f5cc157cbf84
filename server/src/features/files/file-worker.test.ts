import { expect, test } from 'vitest'
import { lengthOfChunk, type FileChunk } from './file-part.ts'
import { runTask } from './file-worker.ts'

const maxLength = 1_000_000

/** The batches that the worker sends for a text until its end or its fault. */
async function read(text: string) {
  const task = { format: 'text', charset: null, maxLength }
  async function* bytes() {
    yield Buffer.from(text)
  }
  const batches: FileChunk[][] = []
  let code: unknown = null
  try {
    // The module yields lists of chunks.
    for await (const batch of runTask(task, bytes())) batches.push(batch as FileChunk[])
  } catch (error) {
    code = (error as { code?: unknown }).code
  }
  const length = batches.flat().reduce((sum, chunk) => sum + lengthOfChunk(chunk), 0)
  return { batches, code, length }
}

function sections(level: string, count: number): string {
  return Array.from({ length: count }, (_, n) => `${level} ${n}\nb\n`).join('')
}

test('headings, which each passage repeats, count against the limit', async () => {
  const path = [1, 2, 3, 4, 5].map((level) => `${'#'.repeat(level)} ${'h'.repeat(290)}\n\n`)
  const text = path.join('') + sections('######', 2_000)
  const { code, length } = await read(text)
  expect([code, length <= maxLength]).toEqual(['file_too_long', true])
})

test('a file of short sections has a limited number of passages', async () => {
  const { batches, code } = await read(sections('#', 50_000))
  expect(code).toBe('file_too_long')
  expect(batches.flat().length).toBeLessThanOrEqual(maxLength / 50)
})

test('a batch has at most 200 passages', async () => {
  const { batches, code } = await read(sections('#', 1_000))
  expect([code, batches.map(({ length }) => length)]).toEqual([null, [200, 200, 200, 200, 200, 0]])
})
