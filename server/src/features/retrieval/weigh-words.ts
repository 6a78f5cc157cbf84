import { inverseDocumentFrequency, type Collection } from '#features/full-text/index.ts'
import { analyseQuestion } from '#features/text-analysis/index.ts'
import type { WordWeights } from '#platform/models/question-words.ts'
import type { Corrections } from './correct-words.ts'
import { plainWords } from './plain-words.ts'

/** A word of which the texts know no form and no related word: they may be about something else. */
const unknownFactor = 1.5

/** For passages that were not found by words. */
export const noWeights: WordWeights = { words: new Map(), passageCount: 0 }

interface Weighed {
  readonly question: string
  /** The terms of the related words of each word. */
  readonly relatedTerms: ReadonlyMap<string, readonly string[]>
  readonly corrections: Corrections
  /** How many chunks contain each term. */
  readonly known: ReadonlyMap<string, number>
  readonly collection: Pick<Collection, 'chunk_count'>
}

/**
 * How much each word of a question says among an agent's texts: BM25's inverse document frequency, and
 * more than that of any other word if no text contains it or a related word.
 *
 * @returns words that full text ignores are missing
 */
export function weighWords(weighed: Weighed): WordWeights {
  const { question, relatedTerms, corrections, known } = weighed
  const { chunk_count: chunks } = weighed.collection
  const weights = new Map<string, number>()
  for (const word of plainWords(question)) {
    const [term] = analyseQuestion(word)
    if (term === undefined) continue
    const forms = [...term.forms, corrections.get(word) ?? term.term]
    const holders = Math.max(0, ...forms.map((form) => known.get(form) ?? 0))
    const isKnown = holders > 0 || (relatedTerms.get(word) ?? []).some((term) => known.has(term))
    const factor = isKnown ? 1 : unknownFactor
    weights.set(word, inverseDocumentFrequency(Math.min(holders, chunks), chunks) * factor)
  }
  return { words: weights, passageCount: chunks }
}
