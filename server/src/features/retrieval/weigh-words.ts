import { inverseDocumentFrequency, type Collection } from '#features/full-text/index.ts'
import { analyseQuestion } from '#features/text-analysis/index.ts'
import { normalized } from '#kernel/normalized.ts'
import type { WordWeights } from '#platform/models/model.ts'

/** The part of a question whose words are weighed. UTF-16 code units. */
const maxQuestionLength = 4000

const words = /[\p{L}\p{N}]+/gu

/** An unknown word says that the agent's texts may be about something else. */
const unknownFactor = 1.5

/**
 * How much each word of a question says among an agent's texts: BM25's inverse document frequency, and
 * more than that of any other word if no text contains it.
 *
 * @param known how many chunks contain each term
 * @returns words that full text ignores are missing
 */
export function weighWords(
  question: string,
  known: ReadonlyMap<string, number>,
  { chunk_count: chunks }: Pick<Collection, 'chunk_count'>,
): WordWeights {
  const weights = new Map<string, number>()
  const text = normalized(question.slice(0, maxQuestionLength), 'NFKD').replace(/\p{Mn}/gu, '')
  for (const [word] of text.toLowerCase().matchAll(words)) {
    if (weights.has(word)) continue
    const [term] = analyseQuestion(word)
    if (term === undefined) continue
    const holders = Math.max(0, ...term.forms.map((form) => known.get(form) ?? 0))
    const factor = holders > 0 ? 1 : unknownFactor
    weights.set(word, inverseDocumentFrequency(Math.min(holders, chunks), chunks) * factor)
  }
  return weights
}
