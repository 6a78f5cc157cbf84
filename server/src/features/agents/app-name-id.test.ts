import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { appNameId } from './app-name-id.ts'

describe('app_name_id', () => {
  test.each([
    ['Support Bot', 'support-bot-10001'],
    ['  --Höflicher   Größen-Berater!! ', 'hoflicher-grossen-berater-10001'],
    ['Crème brûlée №5', 'creme-brulee-no5-10001'],
    ['Łódź & Ærø', 'lodz-aero-10001'],
    ['日本語の案内', 'agent-10001'],
    ['Поддержка', 'agent-10001'],
    ['🤖', 'agent-10001'],
    ['GPT-4 помощник', 'gpt-4-10001'],
  ])('%j becomes %s', (name, expected) => {
    expect(appNameId(name, 10001)).toBe(expected)
  })

  test('is lowercase ASCII words and a number, however long or odd the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        expect(appNameId(name, 10001)).toMatch(/^(?=.{1,60}$)[a-z0-9]+(-[a-z0-9]+)*-10001$/)
      }),
    )
  })
})
