import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { containsAny } from './blocked-words.ts'

test.each([
  ['a soft hyphen', 'for\u00ADbid\u00ADden'],
  ['characters of no width', 'f\u200Bo\u200Cr\u200Db\u2060i\uFEFFdden'],
  ['marks of direction', 'for\u202Ebid\u202Cden'],
  ['variation selectors', 'for\uFE0Fbidden'],
  ['a mark that joins', 'for\u034Fbidden'],
])('a blocked word is found with %s in it', async (_, text) => {
  expect(await containsAny(`This is ${text}.`, ['forbidden'])).toBe(true)
  expect(await containsAny('This is fine.', [text])).toBe(false)
  expect(await containsAny('This is forbidden.', [text])).toBe(true)
})

test('a letter and its mark are one, also with an invisible character or the end of a piece between', async () => {
  expect(await containsAny('cafe\u200B\u0301', ['café'])).toBe(true)
  for (const before of [8187, 8188, 8189, 8190, 8191, 8192]) {
    const text = `${' '.repeat(before)}cafe\u0301 \u{20000}禁止`
    expect(await containsAny(text, ['café'])).toBe(true)
    expect(await containsAny(text, ['禁止'])).toBe(true)
  }
})

test('a word of invisible characters is found nowhere', async () => {
  expect(await containsAny('hello there', ['\u3164'])).toBe(false)
})

test('a text that grows far more than texts of people is blocked', async () => {
  expect(await containsAny('\uFDFA'.repeat(32_000), ['forbidden'])).toBe(true)
  expect(await containsAny('ﬁne ½ ™ \uFDFA', ['forbidden'])).toBe(false)
})

test('other work gets its turn while hundreds of words are looked for in a long text', async () => {
  const words = Array.from({ length: 500 }, (_, n) => `${'ab '.repeat(30)}${n}`)
  const loop = { turns: 0, isDone: false }
  const search = containsAny('ab '.repeat(40_000), words).finally(() => (loop.isDone = true))
  for (; !loop.isDone; loop.turns += 1) await setImmediate()
  expect(await search).toBe(false)
  expect(loop.turns).toBeGreaterThan(5)
})
