import { analyse, analyseGerman } from './analyse.ts'
import type { Chunk } from './chunking/chunk-text.ts'
import { isGerman } from './is-german.ts'

/** A chunk and its terms: everything that can be worked out before a unit of work begins. */
export interface AnalysedChunk extends Chunk {
  readonly headingTerms: readonly string[]
  readonly bodyTerms: readonly string[]
}

/** Raise it whenever the terms of a text change: `renewIndex` then indexes every chunk anew. */
export const analysisVersion = '3'

export function analyseChunks(title: string, chunks: readonly Chunk[]): AnalysedChunk[] {
  return chunks.map((chunk) => ({ ...chunk, ...termsOfChunk(title, chunk) }))
}

/** The title counts as the outermost heading: it says what every chunk of a source is about. */
export function termsOfChunk(
  title: string,
  { heading, text }: Pick<Chunk, 'heading' | 'text'>,
): Pick<AnalysedChunk, 'headingTerms' | 'bodyTerms'> {
  const toTerms = isGerman(`${title}\n${heading}\n${text}`) ? analyseGerman : analyse
  return { headingTerms: [...toTerms(title), ...toTerms(heading)], bodyTerms: toTerms(text) }
}
