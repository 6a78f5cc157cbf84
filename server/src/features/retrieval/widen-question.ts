import {
  analyseQuestion,
  relatedWords as findRelated,
  unmarked,
} from '#features/text-analysis/index.ts'
import type { RelatedWords } from '#platform/models/question-words.ts'
import { noCorrections, type Corrections } from './correct-words.ts'
import { plainWords, replaceWords } from './plain-words.ts'

/** How often a related word of this strength counts as if the question contained it, as a part of it. */
const countOfRelated = 0.5

/** Most related words that are searched: the time of a search grows with them. */
const maxWords = 150

export interface WideQuestion {
  readonly relatedWords: RelatedWords
  /** The terms of the related words of each word. */
  readonly relatedTerms: ReadonlyMap<string, readonly string[]>
  /** With how often the question contains them, so to speak: related ones less than once. */
  readonly terms: ReadonlyMap<string, number>
  readonly corrections: Corrections
}

export const notWidened: WideQuestion = {
  relatedWords: new Map(),
  relatedTerms: new Map(),
  terms: new Map(),
  corrections: noCorrections,
}

/** The words that a text may use instead of those of the question, and those that it means. */
export function widenQuestion(question: string, corrections = noCorrections): WideQuestion {
  const relatedWords = relatedTo(question, corrections)
  const relatedTerms = new Map<string, string[]>()
  const terms = new Map<string, number>()
  const formsOf = new Map<string, readonly string[]>()
  for (const [word, others] of relatedWords)
    for (const [other, strength] of others) {
      if (formsOf.size >= maxWords && !formsOf.has(other)) continue
      const forms = formsOf.get(other) ?? analyseQuestion(other).flatMap((one) => one.forms)
      formsOf.set(other, forms)
      relatedTerms.set(word, [...(relatedTerms.get(word) ?? []), ...forms])
      const count = strength * countOfRelated
      for (const form of forms) terms.set(form, Math.max(terms.get(form) ?? 0, count))
    }
  for (const term of corrections.values()) terms.set(term, 1)
  return { relatedWords, relatedTerms, terms, corrections }
}

/** A mistyped word is related to the one that it means and to the words that this one is related to. */
function relatedTo(question: string, corrections: Corrections): RelatedWords {
  if (corrections.size === 0) return findRelated(question)
  const meant = new Map([...corrections].map(([word, term]) => [word, unmarked(term)]))
  const found = findRelated(replaceWords(question, meant))
  const related = new Map<string, ReadonlyMap<string, number>>()
  for (const word of plainWords(question)) {
    const right = meant.get(word)
    const others = found.get(right ?? word) ?? new Map<string, number>()
    if (right !== undefined) related.set(word, new Map([...others, [right, 1]]))
    else if (others.size > 0) related.set(word, others)
  }
  return related
}
