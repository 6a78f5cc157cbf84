import { analyseQuestion, relatedWords as findRelated } from '#features/text-analysis/index.ts'
import type { RelatedWords } from '#platform/models/model.ts'

/** How often a related word of this strength counts as if the question contained it, as a part of it. */
const countOfRelated = 0.5

/** Most related words that are searched: the time of a search grows with them. */
const maxWords = 150

export interface WideQuestion {
  readonly relatedWords: RelatedWords
  /** The terms of the related words of each word. */
  readonly relatedTerms: ReadonlyMap<string, readonly string[]>
  /** With how often the question contains them, so to speak: less than once. */
  readonly terms: ReadonlyMap<string, number>
}

export const notWidened: WideQuestion = {
  relatedWords: new Map(),
  relatedTerms: new Map(),
  terms: new Map(),
}

/** The words that a text may use instead of those of the question. */
export function widenQuestion(question: string): WideQuestion {
  const relatedWords = findRelated(question)
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
  return { relatedWords, relatedTerms, terms }
}
