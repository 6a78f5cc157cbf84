import { CpuSlice } from '#kernel/cpu-slice.ts'
import { analyse, analyseGerman } from './analyse.ts'
import type { Chunk } from './chunking/chunk-text.ts'
import { isGerman } from './is-german.ts'

/** A chunk with its terms, which are derived before a unit begins. */
export interface AnalysedChunk extends Chunk {
  readonly headingTerms: readonly string[]
  readonly bodyTerms: readonly string[]
}

/** Increase it whenever the terms of a text change: `renewIndex` then indexes every chunk again. */
export const analysisVersion = '3'

export function analyseChunks(title: string, chunks: readonly Chunk[]): AnalysedChunk[] {
  return chunks.map((chunk) => ({ ...chunk, ...termsOfChunk(title, chunk) }))
}

/** The same for many chunks, while other work runs. */
export async function analyseChunksInSlices(
  title: string,
  chunks: readonly Chunk[],
): Promise<AnalysedChunk[]> {
  const slice = new CpuSlice()
  const analysed: AnalysedChunk[] = []
  for (const chunk of chunks) {
    analysed.push({ ...chunk, ...termsOfChunk(title, chunk) })
    if (slice.isOver) await slice.next()
  }
  return analysed
}

/** The title counts as the outermost heading, because every chunk is about it. */
export function termsOfChunk(
  title: string,
  { heading, text }: Pick<Chunk, 'heading' | 'text'>,
): Pick<AnalysedChunk, 'headingTerms' | 'bodyTerms'> {
  const toTerms = isGerman(`${title}\n${heading}\n${text}`) ? analyseGerman : analyse
  return { headingTerms: [...toTerms(title), ...toTerms(heading)], bodyTerms: toTerms(text) }
}
