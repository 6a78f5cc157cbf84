import { expect, test } from 'vitest'
import { normalized } from './normalized.ts'

test.each(['NFC', 'NFD', 'NFKC', 'NFKD'] as const)('%s is that of Unicode', (form) => {
  const text = 'Ünï\u0301\u0323 ﬁ ｶﾞ 각 ﷺ'
  expect(normalized(text, form)).toBe(text.normalize(form))
})

test('a run of marks takes time in proportion to its length', () => {
  for (const marks of ['\u0301\u0323', '\u0315\u0301\u0323\u0327', '\u0301\uFF9E']) {
    const started = performance.now()
    expect(normalized(`a${marks.repeat(100_000)}`, 'NFKC').length).toBeLessThan(40)
    expect(performance.now() - started).toBeLessThan(1000)
  }
})

test('every character that becomes a mark counts as one', () => {
  for (let code = 0; code < 0x11_0000; code += 1) {
    if (code >= 0xd800 && code < 0xe000) continue
    const character = String.fromCodePoint(code)
    // Thai and Lao AM begin with a vowel sign that is never reordered.
    if ('\u0E33\u0EB3'.includes(character) || !/^\p{M}/u.test(character.normalize('NFKD'))) continue
    expect(normalized(character.repeat(40), 'NFC').length, code.toString(16)).toBeLessThan(40 * 2)
    expect([...normalized(character.repeat(40), 'NFC')].length).toBeLessThanOrEqual(30 * 4)
  }
})
