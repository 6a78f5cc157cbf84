import { describe, expect, it } from 'vitest'
import { english } from './related-words/english.ts'
import { everydayEnglish } from './related-words/everyday-english.ts'
import { irregular } from './related-words/irregular.ts'
import { englishNumbers, germanNumbers } from './related-words/numbers.ts'
import { german } from './related-words/german.ts'
import { relatedWords } from './related-words.ts'

describe('Related words of a question', () => {
  it.each([
    ['Do you ship?', 'ship', 'delivery'],
    ['the GUARANTEE on it', 'guarantee', 'warranty'],
    ['two mugs', 'mugs', 'cup'],
    ['forgot my pw', 'pw', 'password'],
    ['Was kostet der Versand?', 'versand', 'lieferung'],
    ['Gibt es eine Gewährleistung?', 'gewahrleistung', 'garantie'],
  ])('are found in any form of the word: %s', (question, word, other) => {
    expect(relatedWords(question).get(word)?.get(other)).toBeGreaterThan(0)
  })

  it('belong to each word of a phrase, and only together', () => {
    const phrase = relatedWords('my gift card')
    expect(phrase.get('gift')?.has('voucher')).toBe(true)
    expect(phrase.get('card')?.has('voucher')).toBe(true)
    expect(relatedWords('my card').get('card')?.has('voucher')).not.toBe(true)
  })

  it('belong to a phrase with a small word within', () => {
    expect(relatedWords('can I send them back?').get('send')?.has('return')).toBe(true)
    expect(relatedWords('do you send parcels, and when back?').get('send')?.has('return')).not.toBe(
      true,
    )
  })

  it('are those of the base form, and its other forms, of an irregular word', () => {
    const related = relatedWords('the credits that I bought').get('bought')
    expect(related?.has('purchase')).toBe(true)
    expect(related?.get('buy')).toBeGreaterThan(related?.get('purchase') ?? 1)
    expect(relatedWords('knife').get('knife')?.has('knives')).toBe(true)
  })

  it('are the digits of a number and its letters', () => {
    expect(relatedWords('every six hours').get('six')?.has('6')).toBe(true)
    expect(relatedWords('after 30 days').get('30')?.has('thirty')).toBe(true)
    expect(relatedWords('nach vierzehn Tagen').get('vierzehn')?.has('14')).toBe(true)
  })

  it('count less than the word, and a kind finds its general word', () => {
    const related = relatedWords('a bookshelf')
    expect(related.get('bookshelf')?.get('furniture')).toBeLessThan(1)
    expect(relatedWords('furniture').get('furniture')?.has('bookshelf')).toBe(true)
  })

  it('include an abbreviation that texts write, but not the other way round', () => {
    expect(relatedWords('open on sunday').get('sunday')?.has('sun')).toBe(true)
    expect(relatedWords('pale in the sun').get('sun')?.has('sunday')).not.toBe(true)
    expect(relatedWords('am Montag').get('montag')?.has('mo')).toBe(true)
  })

  it('are none for words that the list does not have', () => {
    expect(relatedWords('zyzzyva').size).toBe(0)
    expect(relatedWords('').size).toBe(0)
  })

  it('are looked up for a bounded part of a question', () => {
    expect(relatedWords(`${'zyzzyva '.repeat(100)}delivery`).size).toBe(0)
  })
})

it.each([
  ['English', english],
  ['everyday English', everydayEnglish],
  ['German', german],
  ['irregular words', irregular],
  ['English numbers', englishNumbers],
  ['German numbers', germanNumbers],
])('The list of %s has lowercase words without diacritics', (_, list) => {
  for (const line of list.trim().split('\n'))
    expect(line).toMatch(/^[a-z\d_]+(?::| >)?(?: [a-z\d_]+)+$/)
})
