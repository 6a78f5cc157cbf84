import { defines } from './definitions.ts'
import { isFunctionWord, isNumberWord } from './function-words.ts'
import { coverage, strengthsIn, type Term } from './question-terms.ts'
import type { ReadPassage, ReadStatement } from './read-passages.ts'

export interface RankedPassage {
  readonly read: ReadPassage
  /** For comparing the passages of one question: the logarithm of its odds, plus a constant. */
  readonly score: number
  /** How much of the question the passage and its best statement have, from 0 to 1. */
  readonly answered: number
  /** How much of the question its headings have, from 0 to 1. */
  readonly headed: number
  readonly statements: readonly RankedStatement[]
}

export interface RankedStatement extends ReadStatement {
  readonly position: number
  readonly score: number
  /** The share of the question that it has without its heading and its neighbours. */
  readonly own: number
  /** Whether the question asks for a number, and the statement has one. */
  readonly hasNumber: boolean
  /** Whether it defines what the question asks about. */
  readonly isDefinition: boolean
}

/** How much a heading, or a statement beside it, counts for a statement. */
const shares = { heading: 0.6, underHeading: 0.9, beside: 0.25 } as const

/** The score of a statement with a number is multiplied by this if the question asks for one. */
const numberBonus = 1.2

/** The same for a statement that defines what the question asks about, and what its passage is worth more. */
const definitionBonus = { statement: 1.5, passage: 5 } as const

/**
 * How much a passage's score grows with each of: the part of the question that the passage has, the one
 * that its best statement has, the part of its nearest heading that the question names, and its score in
 * the search beside that of the best one. A conditional logistic regression over judged questions.
 */
const weights = {
  passage: 2.1,
  statement: 3.3,
  sentence: 1.4,
  headings: 2,
  heading: 1.5,
  found: 3.4,
} as const

export interface Ranking {
  readonly terms: readonly Term[]
  readonly wantsNumber: boolean
  /** What the question asks to define. */
  readonly toDefine: readonly string[]
  /** The highest score of a passage in the search. */
  readonly bestFound: number
}

export function rankPassage(
  read: ReadPassage,
  { terms, wantsNumber, toDefine, bestFound }: Ranking,
): RankedPassage {
  const heading = strengthsIn(terms, read.headingWords)
  const own = read.statements.map(({ words }) => strengthsIn(terms, words))
  const statements = read.statements.map((one, position) => {
    const headingShare = position === 0 ? shares.underHeading : shares.heading
    const found = terms.map((_, at) =>
      Math.max(
        own[position]?.[at] ?? 0,
        headingShare * (heading[at] ?? 0),
        shares.beside * Math.max(own[position - 1]?.[at] ?? 0, own[position + 1]?.[at] ?? 0),
      ),
    )
    const hasNumber = wantsNumber && saysNumber(one)
    const isDefinition = defines(one.statement, toDefine)
    const bonus = (hasNumber ? numberBonus : 1) * (isDefinition ? definitionBonus.statement : 1)
    const score = coverage(terms, found) * bonus
    return {
      ...one,
      position,
      score,
      own: coverage(terms, own[position] ?? []),
      hasNumber,
      isDefinition,
    }
  })
  const strengths = terms.map((_, at) =>
    own.reduce((most, found) => Math.max(most, found[at] ?? 0), heading[at] ?? 0),
  )
  const best = statements.reduce((most, { score }) => Math.max(most, score), 0)
  const mostOwn = statements.reduce((most, one) => Math.max(most, one.own), 0)
  const covered = coverage(terms, strengths)
  const headed = coverage(terms, heading)
  const score =
    weights.passage * covered +
    weights.statement * best +
    weights.sentence * mostOwn +
    weights.headings * headed +
    weights.heading * partNamed(read.ownHeading, terms) +
    weights.found * (bestFound > 0 ? read.found / bestFound : 1) +
    (statements.some(({ isDefinition }) => isDefinition) ? definitionBonus.passage : 0)
  return { read, score, answered: (covered + best) / 2, headed, statements }
}

function saysNumber({ statement, words }: ReadStatement): boolean {
  return /\p{N}/u.test(statement.text) || words.some(isNumberWord)
}

/** The part of a heading's words that the question has. */
function partNamed(heading: readonly string[], terms: readonly Term[]): number {
  const telling = heading.filter((word) => !isFunctionWord(word))
  const named = telling.filter((word) => terms.some(({ matches }) => matches.has(word)))
  return telling.length === 0 ? 0 : named.length / telling.length
}
