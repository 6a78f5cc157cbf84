import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { FileChunk, FilePart } from './file-part.ts'
import { quoteFiles } from './quote-files.ts'

function file(chunks: readonly Partial<FileChunk>[]): FilePart {
  const whole = chunks.map((chunk) => ({ heading: '', page: null, text: '', ...chunk }))
  return { type: 'file', name: 'a.md', chunks: whole }
}

async function quoteOne(one: FilePart, question: string, maxLength: number): Promise<string> {
  return (await quoteFiles([one], question, maxLength)).get(one) ?? ''
}

test('headings count against the length', async () => {
  const chunks = Array.from({ length: 100 }, (_, n) => {
    return { heading: `${n} › ${'h'.repeat(1_000)}`, text: 'ducks' }
  })
  const quoted = await quoteOne(file(chunks), 'Which ducks?', 5_000)
  expect(quoted).toContain('These are excerpts')
  expect(quoted.length).toBeLessThan(5_300)
})

test('a heading that chunks share counts once, because it is written once', async () => {
  const chunks = Array.from({ length: 10 }, () => ({ heading: 'h'.repeat(300), text: 'ducks' }))
  expect(await quoteOne(file(chunks), '?', 400)).not.toContain('excerpts')
})

test('chunks with the rarest word come first, and those without words from the beginning', async () => {
  const texts = ['First.', 'Ducks swim.', 'Ducks and geese swim.', 'Ducks fly.']
  const quoted = (maxLength: number) =>
    quoteOne(file(texts.map((text) => ({ text }))), 'Do ducks or geese swim?', maxLength)
  expect(await quoted(25)).toContain('\nDucks and geese swim.\n</file>')
  expect(await quoted(40)).toContain('\nDucks swim.\nDucks and geese swim.\n</file>')
  expect(await quoteOne(file(texts.map((text) => ({ text }))), 'Who?', 10)).toContain('\nFirst.\n<')
})

test('a hundred thousand chunks are searched in short turns of the event loop', async () => {
  const chunks = Array.from({ length: 100_000 }, (_, n) => ({
    heading: 'a',
    text: `b w${n % 999}`,
  }))
  const question = Array.from({ length: 100 }, (_, n) => `w${n}`).join(' ')
  const long = file(chunks)
  const over = new AbortController()
  const longest = longestTurn(over.signal)
  await quoteOne(long, question, 60_000)
  over.abort()
  // Slices are 5 ms long. A garbage collection can come on top of one.
  expect(await longest).toBeLessThan(50)
})

/** The most CPU time of a turn of the event loop, in milliseconds: other programs do not lengthen it. */
async function longestTurn(over: AbortSignal): Promise<number> {
  let most = 0
  while (!over.aborted) {
    const before = process.threadCpuUsage()
    await setImmediate()
    const { user, system } = process.threadCpuUsage(before)
    most = Math.max(most, (user + system) / 1000)
  }
  return most
}
