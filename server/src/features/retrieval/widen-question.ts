import { analyseQuestion, relatedWords } from '#features/text-analysis/index.ts'
import type { RelatedWords } from '#platform/models/model.ts'

/** How often a related word counts as if the question contained it. */
const countOfRelated = 0.35

/** Most related words that are searched: the time of a search grows with them. */
const maxWords = 150

export interface WideQuestion {
  readonly relatedWords: RelatedWords
  /** With how often the question contains them, so to speak: less than once. */
  readonly terms: ReadonlyMap<string, number>
}

/** The words that a text may use instead of those of the question. */
export function widenQuestion(question: string): WideQuestion {
  const related = relatedWords(question)
  const words = new Set([...related.values()].flatMap((others) => [...others.keys()]))
  const searched = analyseQuestion([...words].slice(0, maxWords).join(' '))
  const forms = searched.flatMap((word) => word.forms)
  return { relatedWords: related, terms: new Map(forms.map((form) => [form, countOfRelated])) }
}
