import { analyseQuestion, termsOfChunk } from '#features/text-analysis/index.ts'
import { CpuSlice } from '#kernel/cpu-slice.ts'
import type { FileChunk, FilePart } from './file-part.ts'

/** BM25's usual constants (Robertson and Zaragoza 2009). */
const [saturation, lengthWeight] = [1.2, 0.75]

/** A longer question has no further words that matter. */
const [maxQuestionLength, maxWords] = [4_000, 100]

/** A chunk with words of the question. */
interface Found {
  readonly chunk: FileChunk
  /** How often it has each word that it has, by the word's index. */
  readonly counts: ReadonlyMap<number, number>
  /** In terms. */
  readonly length: number
}

interface Search {
  readonly found: readonly Found[]
  /** How many chunks have each word. */
  readonly having: readonly number[]
  /** Of all chunks. */
  readonly count: number
  readonly averageLength: number
}

/**
 * The chunks with words of the question, the best first: BM25 over these files alone. Chunks of one score
 * keep their order.
 */
export async function rankChunks(
  files: readonly FilePart[],
  question: string,
): Promise<readonly FileChunk[]> {
  const search = await searchFiles(files, question)
  const slice = new CpuSlice()
  const byScore = new Map<number, FileChunk[]>()
  for (const found of search.found) {
    const score = scoreOf(found, search)
    const same = byScore.get(score)
    if (same === undefined) byScore.set(score, [found.chunk])
    else same.push(found.chunk)
    if (slice.isOver) await slice.next()
  }
  // Numbers alone are sorted in a few milliseconds, however many there are.
  const scores = Float64Array.from(byScore.keys()).sort().toReversed()
  await slice.next()
  const ranked: FileChunk[] = []
  for (const score of scores) {
    for (const chunk of byScore.get(score) ?? []) ranked.push(chunk)
    if (slice.isOver) await slice.next()
  }
  return ranked
}

async function searchFiles(files: readonly FilePart[], question: string): Promise<Search> {
  const words = analyseQuestion(question.slice(0, maxQuestionLength)).slice(0, maxWords)
  const wordsOf = new Map<string, number[]>()
  for (const [n, { forms }] of words.entries())
    for (const form of forms) wordsOf.set(form, [...(wordsOf.get(form) ?? []), n])
  const having = words.map(() => 0)
  const found: Found[] = []
  const slice = new CpuSlice()
  let [count, total] = [0, 0]
  for (const { name, chunks } of files)
    for (const chunk of chunks) {
      const { headingTerms, bodyTerms } = termsOfChunk(name, chunk)
      const length = headingTerms.length + bodyTerms.length
      const counts = new Map<number, number>()
      for (const terms of [headingTerms, bodyTerms])
        for (const term of terms)
          for (const n of wordsOf.get(term) ?? []) counts.set(n, (counts.get(n) ?? 0) + 1)
      for (const n of counts.keys()) having[n] = (having[n] ?? 0) + 1
      if (counts.size > 0) found.push({ chunk, counts, length })
      count += 1
      total += length
      if (slice.isOver) await slice.next()
    }
  return { found, having, count, averageLength: total / count || 1 }
}

function scoreOf({ counts, length }: Found, { having, count, averageLength }: Search): number {
  const norm = saturation * (1 - lengthWeight + (lengthWeight * length) / averageLength)
  let score = 0
  for (const [n, times] of counts) {
    const chunksWithIt = having[n] ?? 0
    const rarity = Math.log(1 + (count - chunksWithIt + 0.5) / (chunksWithIt + 0.5))
    score += (rarity * times * (saturation + 1)) / (times + norm)
  }
  return score
}
