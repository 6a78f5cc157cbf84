import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChunkReader } from './chunk-reader.ts'
import { readChunk } from './openai-wire.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('word', ' ', '"', '\\', '\n', 'a"},"b":{"', '</', 'ä', '😀', '', '"content"'),
)

/** Ways in which servers write a chunk: around its text, in one of two places, or with random bytes. */
const writers: readonly ((said: string, n: number) => string)[] = [
  (said) => JSON.stringify({ choices: [{ index: 0, delta: { content: said } }] }),
  (said) =>
    JSON.stringify({ id: 'x', choices: [{ delta: { role: 'a', content: said } }] }, null, 1),
  (said) => JSON.stringify({ choices: [{ delta: { content: said }, logprobs: [said] }] }),
  (said) => JSON.stringify({ note: said, choices: [{ delta: { content: 'same' } }] }),
  (said, n) => JSON.stringify({ choices: [{ delta: { content: said } }], padding: 'x'.repeat(n) }),
  (said) => `{"choices":[{"delta":{"content":${JSON.stringify(said)},"content":"later"}}]}`,
  (said) =>
    JSON.stringify({
      choices: [
        { index: 1, delta: { content: said } },
        { index: 0, delta: { content: said } },
      ],
    }),
  (said) => JSON.stringify({ choices: [{ delta: { content: [{ text: said }, { text: said }] } }] }),
  (said) => JSON.stringify({ choices: [{ delta: { refusal: said } }] }),
  (said) => JSON.stringify({ choices: [{ delta: { content: said }, finish_reason: 'stop' }] }),
  (said) => JSON.stringify({ choices: [{ delta: { reasoning_content: said } }] }),
  (said) => JSON.stringify({ choices: [{ delta: { content: said, reasoning: said } }] }),
  (said, n) =>
    JSON.stringify({
      choices: [{ delta: { content: said, reasoning_content: n < 3 ? '' : 'so' } }],
    }),
  (said) => JSON.stringify({ usage: { prompt_tokens: 1, completion_tokens: said.length } }),
]

describe('A chunk reader', () => {
  it('reads every chunk of any stream as it reads that chunk alone', () => {
    const chunk = fc.record({ said: text, writer: fc.nat(writers.length - 1) })
    const stream = fc.oneof(
      fc.array(chunk, { maxLength: 30 }),
      fc
        .record({ texts: fc.array(text, { maxLength: 30 }), writer: fc.nat(writers.length - 1) })
        .map(({ texts, writer }) => texts.map((said) => ({ said, writer }))),
    )
    fc.assert(
      fc.property(stream, (chunks) => {
        const reader = new ChunkReader()
        for (const [n, { said, writer }] of chunks.entries()) {
          const data = writers[writer]!(said, n)
          expect(reader.read(data)).toEqual(readChunk(data))
        }
      }),
      { numRuns: 500 },
    )
  })

  it('refuses a text that is not written as JSON although its surroundings are known', () => {
    const reader = new ChunkReader()
    const write = (content: string) => `{"choices":[{"delta":{"content":"${content}"}}]}`
    expect(reader.read(write('one')).text).toBe('one')
    expect(reader.read(write('two')).text).toBe('two')
    expect(reader.read(write('a\\n\\"b')).text).toBe('a\n"b')
    for (const broken of ['a\nb', 'a"b', 'a\\', '\\x'])
      expect(() => reader.read(write(broken))).toThrow(/not JSON/)
  })
})
