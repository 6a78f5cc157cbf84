import { describe, expect, test } from 'vitest'
import { defaultPageSettings } from './chat-page-settings.ts'
import { contrast, mix } from './contrast.ts'
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
    [{ background_color: '#c0c4cc' }, ['quiet_text', 'field']],
    [{ background_color: '#808080' }, ['quiet_text', 'field']],
    [{ color: '#7a7a7a' }, ['button_text']],
  ])('warns about each pair of colours that is too similar: %j', (look, pairs) => {
    expect(weakOf(look)).toEqual(pairs)
  })

  test('writes links so that they are readable on the page and on what is quiet, in any colour', () => {
    const channel = ['00', '33', '66', '99', 'cc', 'ff']
    const colours = channel.flatMap((r) =>
      channel.flatMap((g) => channel.map((b) => `#${r}${g}${b}`)),
    )
    const own = ['#3d4ed6', '#0b6e4f', '#0d6efd', '#e63946']
    for (const color of [...colours, ...own])
      for (const background_color of ['', '#fff8e7', '#f2f3f5', '#dfe7ef']) {
        const { '--on-light': light = '', '--on-dark': dark = '' } = variablesOf({
          ...defaultPageSettings,
          color,
          background_color,
        })
        const paper = background_color || '#ffffff'
        const grounds = [
          [light, paper],
          [light, mix(paper, '#14161a', 0.05)],
          [dark, '#15171c'],
          [dark, '#20232b'],
        ] as const
        for (const [text, ground] of grounds)
          expect(contrast(text, ground), `${color} as ${text} on ${ground}`).toBeGreaterThanOrEqual(
            4.5,
          )
      }
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
