import { inverseDocumentFrequency, type Collection } from '#features/full-text/index.ts'
import { analyseQuestion } from '#features/text-analysis/index.ts'
import { normalized } from '#kernel/normalized.ts'
import type { WordWeights } from '#platform/models/model.ts'

/** The part of a question whose words are weighed. UTF-16 code units. */
const maxQuestionLength = 4000

const words = /[\p{L}\p{N}]+/gu

/** A word of which the texts know no form and no related word: they may be about something else. */
const unknownFactor = 1.5

/** For passages that were not found by words. */
export const noWeights: WordWeights = { words: new Map(), passageCount: 0 }

interface Weighed {
  readonly question: string
  /** The terms of the related words of each word. */
  readonly relatedTerms: ReadonlyMap<string, readonly string[]>
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
export function weighWords({ question, relatedTerms, known, collection }: Weighed): WordWeights {
  const { chunk_count: chunks } = collection
  const weights = new Map<string, number>()
  const text = normalized(question.slice(0, maxQuestionLength), 'NFKD').replace(/\p{Mn}/gu, '')
  for (const [word] of text.toLowerCase().matchAll(words)) {
    if (weights.has(word)) continue
    const [term] = analyseQuestion(word)
    if (term === undefined) continue
    const holders = Math.max(0, ...term.forms.map((form) => known.get(form) ?? 0))
    const isKnown = holders > 0 || (relatedTerms.get(word) ?? []).some((term) => known.has(term))
    const factor = isKnown ? 1 : unknownFactor
    weights.set(word, inverseDocumentFrequency(Math.min(holders, chunks), chunks) * factor)
  }
  return { words: weights, passageCount: chunks }
}
