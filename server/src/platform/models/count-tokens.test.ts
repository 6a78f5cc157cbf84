import fc from 'fast-check'
import { countTokens as libraryCount } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { countTokens, countUsage } from './count-tokens.ts'

const plain = { disallowedSpecial: new Set<string>() }

describe('A count equals that of the tokenizer library', () => {
  it.each([
    'The quick brown fox jumps over the lazy dog.',
    'Ünïcödé, straße, naïve café — “quotes” … and dashes',
    '日本語のテキストと、中文文本。한국어도 있습니다.',
    'مرحبا بالعالم שלום עולם नमस्ते दुनिया สวัสดีชาวโลก',
    '👩‍👩‍👧‍👦 🇳🇴 🏳️‍🌈 👍🏽',
    'function f(x) {\n\treturn x ** 2 // squared\n}\n\n\n   ',
    '1234567890 3.14159 $1,000,000.00 12:34:56',
    "I'm you're WE'LL THEY'VE it's",
    'antidisestablishmentarianism Donaudampfschifffahrtsgesellschaft',
    '<|endoftext|> and <|im_start|> are text here',
    '\u0000\u0001\uFFFD\uD800',
    '',
    ' ',
  ])('for %j', async (text) => {
    expect(await countTokens(text)).toBe(libraryCount(text, plain))
  })

  it('for any text', async () => {
    const unit = fc.constantFrom(...'aeinorst  .,\n\t\'"AZ09éßñ日本中語👍ा́', 'the', 'ing', 'tion')
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc.string({ unit, maxLength: 300 }),
        ),
        async (text) => {
          expect(await countTokens(text)).toBe(libraryCount(text, plain))
        },
      ),
      { numRuns: 500 },
    )
  })
})

it('A long text is counted in pieces, with an error of at most two tokens', async () => {
  const text = 'Plain words, many of them, in a row. '.repeat(6000)
  expect(Math.abs((await countTokens(text)) - libraryCount(text, plain))).toBeLessThan(8)
})

it('A text of four megabytes without a space is counted in seconds and blocks nothing else', async () => {
  let longest = 0
  let last = performance.now()
  const beat = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 1)
  const started = performance.now()
  const count = await countTokens('aé'.repeat(2 * 1024 * 1024))
  clearInterval(beat)
  expect(count).toBeGreaterThan(100_000)
  expect(performance.now() - started).toBeLessThan(20_000)
  expect(longest).toBeLessThan(1000)
}, 30_000)

it('Usage counts every message with its framing, images, and the answer', async () => {
  expect(await countUsage([{ role: 'user', content: 'hello world' }], 'Hi there')).toEqual({
    promptTokens: 3 + 3 + 1 + 2,
    completionTokens: 2,
  })
  const withImage = await countUsage(
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hello world' },
          { type: 'image', url: 'https://a.example/b.png' },
        ],
      },
    ],
    '',
  )
  expect(withImage).toEqual({ promptTokens: 9 + 85, completionTokens: 0 })
})
