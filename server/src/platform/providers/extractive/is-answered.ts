import { languageOf } from './function-words.ts'
import type { Term } from './question-terms.ts'
import type { RankedPassage } from './rank-passages.ts'
import { wordsOf } from './sentences.ts'

/**
 * A logistic regression over the judged questions in `server/test/answers/development.json` and those
 * that their texts do not answer, divided by the weight of `answered`. The threshold is where
 * cross-validation answers none of the latter.
 */
const missingNamePenalty = 0.61
const lengthBonus = 0.267
const threshold = 0.785

/** A pasted text is as long as this many terms. */
const longest = 8

/**
 * Whether the best passage is about the question, rather than one that shares some of its words. A long
 * question tells a story, of which a text that answers contains less. A name that the passage does not
 * contain means that it is about something else.
 */
export function isAnswered(question: string, terms: readonly Term[], best: RankedPassage): boolean {
  const length = Math.log(Math.min(longest, Math.max(1, terms.length)))
  const missing = missingNames(question, terms, best)
  return best.answered - missingNamePenalty * missing + lengthBonus * length >= threshold
}

/** A word with a capital, not at the beginning of a sentence. */
const name = /(?<=[\p{L}\p{N},;] )[\p{L}\p{N}]*\p{Lu}[\p{L}\p{N}]*/gu

/** The part of the question's weight that names have which the passage does not contain. */
function missingNames(
  question: string,
  terms: readonly Term[],
  { strengths }: RankedPassage,
): number {
  // German writes every noun with a capital.
  if (languageOf(wordsOf(question)) === 'de') return 0
  const names = new Set(wordsOf((question.match(name) ?? []).join(' ')))
  let [total, missing] = [0, 0]
  for (const [at, { word, weight }] of terms.entries()) {
    total += weight
    if (names.has(word)) missing += weight * (1 - (strengths[at] ?? 0))
  }
  return total === 0 ? 0 : missing / total
}
