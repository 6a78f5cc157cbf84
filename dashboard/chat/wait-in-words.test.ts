import { expect, it } from 'vitest'
import { waitInWords } from './wait-in-words.ts'

it.each([
  ['en', 1, 'in 1 second'],
  ['en', 120, 'in 120 seconds'],
  ['en', 121, 'in 3 minutes'],
  ['en', 3412, 'in 57 minutes'],
  ['pl', 1, 'za 1 sekundę'],
  ['pl', 5, 'za 5 sekund'],
  ['de', 0.2, 'in 1 Sekunde'],
])('says a wait in whole units, in the form of its number: %s %d', (language, seconds, words) => {
  expect(waitInWords(language, seconds)).toBe(words)
})
