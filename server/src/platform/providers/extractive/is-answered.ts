import { languageOf } from './question-language.ts'
import type { Term } from './question-terms.ts'
import type { RankedPassage } from './rank-passages.ts'
import { wordsOf } from './sentences.ts'

/**
 * A logistic regression over judged questions and those that their texts do not answer (see
 * `server/test/answers`), divided by the weight of `answered`.
 */
const weights = { headed: 0.6, unknownName: -0.75, length: 0.33, size: -0.08 } as const
const threshold = 0.58

/** A pasted text is as long as this many terms. */
const longest = 8

/** The more passages there are, up to here, the more often one is alike by chance. */
const sizes = { least: 40, most: 5000 } as const

export interface AskedTerms {
  readonly question: string
  readonly terms: readonly Term[]
  /** How many passages the agent's texts have. */
  readonly passageCount: number
}

/**
 * Whether one of the best passages is about the question, rather than one that shares some of its words.
 * A heading says what a passage is about. A long question tells a story, of which a text that answers
 * contains less. A name that no passage contains means that the texts are about something else. A
 * sentence that defines what a question asks to define answers it, however common its word is.
 */
export function isAnswered(asked: AskedTerms, best: readonly RankedPassage[]): boolean {
  const isDefined = best.some(({ statements }) => statements.some((one) => one.isDefinition))
  return isDefined || evidenceFor(asked, best) >= threshold
}

function evidenceFor(asked: AskedTerms, best: readonly RankedPassage[]): number {
  const { terms, passageCount } = asked
  const length = Math.log(Math.min(longest, Math.max(1, terms.length)))
  const size = Math.log(Math.min(sizes.most, Math.max(sizes.least, passageCount)))
  return (
    Math.max(...best.map(({ answered, headed }) => answered + weights.headed * headed)) +
    weights.unknownName * unknownNames(asked) +
    weights.length * length +
    weights.size * size
  )
}

/** A word with a capital, not at the beginning of a sentence. */
const name = /(?<=[\p{L}\p{N},;] )[\p{L}\p{N}]*\p{Lu}[\p{L}\p{N}]*/gu

/** The part of the question's weight that names have which no passage contains. */
function unknownNames({ question, terms }: AskedTerms): number {
  // German writes every noun with a capital.
  if (languageOf(question) === 'de') return 0
  const names = new Set(wordsOf((question.match(name) ?? []).join(' ')))
  let [total, unknown] = [0, 0]
  for (const { word, weight, matches } of terms) {
    total += weight
    if (names.has(word) && matches.size === 0) unknown += weight
  }
  return total === 0 ? 0 : unknown / total
}
