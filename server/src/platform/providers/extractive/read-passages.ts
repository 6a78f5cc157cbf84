import type { Passage } from '#platform/models/model.ts'
import { wordsOf } from './sentences.ts'
import { statementsOf, type Statement } from './statements.ts'

export interface ReadPassage {
  /** Position among the passages, the best for retrieval first. */
  readonly index: number
  /** Its score in the search. */
  readonly found: number
  readonly statements: readonly ReadStatement[]
  /** Words of the title and of all headings above the passage. */
  readonly headingWords: readonly string[]
  /** Words of the nearest heading above the passage. */
  readonly ownHeading: readonly string[]
  readonly allWords: readonly string[]
}

export interface ReadStatement {
  readonly statement: Statement
  readonly words: readonly string[]
}

/** Characters of a passage that are read, to bound the work. A chunk has up to a page. */
const maxPassageCharacters = 4000

export function readPassage(passage: Passage, index: number): ReadPassage {
  const { title, heading, text, score: found } = passage
  const statements = statementsOf(text.slice(0, maxPassageCharacters))
    .map((statement) => ({ statement, words: wordsOf(`${statement.head} ${statement.text}`) }))
    .filter(({ words }) => words.length > 0)
  const headingWords = wordsOf(`${title} ${heading}`)
  const ownHeading = wordsOf(heading === '' ? title : (heading.split(' › ').at(-1) ?? ''))
  const allWords = [...headingWords, ...statements.flatMap(({ words }) => words)]
  return { index, found, statements, headingWords, ownHeading, allWords }
}
