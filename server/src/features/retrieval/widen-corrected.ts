import type { Reader } from '#platform/db/database.ts'
import { correctWords, type Suspected } from './correct-words.ts'
import { widenQuestion, type WideQuestion } from './widen-question.ts'

interface Widened extends Pick<Suspected, 'collection' | 'known'> {
  readonly query: string
  readonly wide: WideQuestion
}

/** The question with what its mistyped words mean; the same one if none is mistyped. */
export async function widenCorrected(
  reader: Reader,
  { query, wide, ...of }: Widened,
): Promise<WideQuestion> {
  const suspected = { ...of, question: query, related: wide.relatedWords }
  const corrections = await correctWords(reader, suspected)
  return corrections.size === 0 ? wide : widenQuestion(query, corrections)
}
