import { CpuSlice } from '#kernel/cpu-slice.ts'
import type { Passage } from '#platform/models/model.ts'
import type { RelatedWords, WordWeights } from '#platform/models/question-words.ts'
import { chooseStatements, maxPlaces } from './choose-statements.ts'
import { mayDefine, wordsToDefine } from './definitions.ts'
import { asksForNumber } from './function-words.ts'
import { isAnswered } from './is-answered.ts'
import { termsOf } from './question-terms.ts'
import { rankPassage, type RankedPassage } from './rank-passages.ts'
import { readPassage, type ReadPassage } from './read-passages.ts'
import { wordsOf } from './sentences.ts'
import type { Statement } from './statements.ts'

export interface Asked {
  readonly question: string
  /** The best first. */
  readonly passages: readonly Passage[]
  readonly weights: WordWeights
  readonly related: RelatedWords
}

export interface Extract {
  /** Index of the passage. */
  readonly passage: number
  /** Verbatim, in reading order. */
  readonly statements: readonly Statement[]
}

/** Passages that are read; retrieval returns the best first. */
const maxPassages = 20

/** Of so many, those that may define what the question asks to define are read, too. */
const maxDefining = 60

/**
 * What the passages say about the question, the best place first; nothing when no passage is about it.
 *
 * A term weighs more the fewer of the agent's texts contain it, and most when none does: a passage on
 * another subject that happens to share a common word is not about the question.
 */
export async function extractAnswer(asked: Asked): Promise<Extract[]> {
  const { question, weights, related } = asked
  const slice = new CpuSlice()
  const words = wordsOf(question)
  const toDefine = wordsToDefine(words)
  const read: ReadPassage[] = []
  for (const [index, passage] of asked.passages.slice(0, maxDefining).entries()) {
    if (index >= maxPassages && !mayDefine(passage.text, toDefine)) continue
    read.push(readPassage(passage, index))
    if (slice.isOver) await slice.next()
  }
  const terms = termsOf(
    { words, weights: weights.words, related },
    read.map(({ allWords }) => allWords),
  )
  const wantsNumber = asksForNumber(question)
  const bestFound = asked.passages[0]?.score ?? 0
  const ranked: RankedPassage[] = []
  for (const one of read) {
    if (slice.isOver) await slice.next()
    ranked.push(rankPassage(one, { terms, wantsNumber, toDefine, bestFound }))
  }
  ranked.sort((one, other) => other.score - one.score)
  const { passageCount } = weights
  if (!isAnswered({ question, terms, passageCount }, ranked.slice(0, maxPlaces))) return []
  return chooseStatements(ranked).map(({ passage, statements }) => ({
    passage: passage.read.index,
    statements: statements.map(({ statement }) => statement),
  }))
}
