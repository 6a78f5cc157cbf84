import { describe, expect, test } from 'vitest'
import { defaultPageSettings } from './chat-page-settings.ts'
import { pairsOf, variablesOf } from './look.ts'

const weakOf = (look: Partial<typeof defaultPageSettings>) =>
  pairsOf({ ...defaultPageSettings, ...look })
    .filter(({ ratio, needed }) => ratio < needed)
    .map(({ pair }) => pair)

describe('the look of a chat page', () => {
  test('has enough contrast by default', () => {
    expect(weakOf({})).toEqual([])
  })

  test.each([
    [{ background_color: '#3a3f4a' }, ['text', 'quiet_text']],
    [{ background_color: '#c0c4cc' }, ['quiet_text']],
    [{ color: '#7a7a7a' }, ['button_text']],
  ])('warns about each pair of colours that is too similar: %j', (look, pairs) => {
    expect(weakOf(look)).toEqual(pairs)
  })

  test('writes on each chosen colour in white or black, whichever is easier to read', () => {
    const of = (look: Partial<typeof defaultPageSettings>) =>
      variablesOf({ ...defaultPageSettings, ...look })
    expect(of({ header_color: '#0b6e4f' })['--on-header']).toBe('#ffffff')
    expect(of({ header_color: '#ffe600' })['--on-header']).toBe('#14161a')
    expect(of({ color: '#ffe600' })['--on-accent']).toBe('#14161a')
    expect(of({})['--header']).toBe('var(--paper)')
  })
})
