import { b, headingWeight, k1 } from '#features/full-text/index.ts'
import { analyse, chunkText } from '#features/text-analysis/index.ts'
import type { DocumentationText } from '#platform/documentation.ts'

interface DocumentationPassage {
  readonly page: string
  readonly title: string
  readonly heading: string
  readonly text: string
  /** The count of each term. Terms of the title and headings count `headingWeight` times. */
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

export interface DocumentationIndex {
  readonly passages: readonly DocumentationPassage[]
  readonly averageLength: number
  /** The number of passages that contain each term. */
  readonly frequencies: ReadonlyMap<string, number>
}

export interface RankedPassage {
  readonly passage: DocumentationPassage
  readonly score: number
}

export function indexPages(pages: readonly DocumentationText[]): DocumentationIndex {
  const passages = pages.flatMap(passagesOf)
  const frequencies = new Map<string, number>()
  for (const { counts } of passages)
    for (const term of counts.keys()) frequencies.set(term, (frequencies.get(term) ?? 0) + 1)
  const total = passages.reduce((sum, { length }) => sum + length, 0)
  return { passages, averageLength: total / Math.max(passages.length, 1), frequencies }
}

function passagesOf({ name, text }: DocumentationText): DocumentationPassage[] {
  const title = /^# (.+)$/m.exec(text)?.[1] ?? name
  return chunkText(text).map((chunk) => {
    const headingTerms = analyse(`${title} ${chunk.heading}`)
    const bodyTerms = analyse(chunk.text)
    const counts = new Map<string, number>()
    for (const term of bodyTerms) counts.set(term, (counts.get(term) ?? 0) + 1)
    for (const term of headingTerms) counts.set(term, (counts.get(term) ?? 0) + headingWeight)
    return { ...chunk, page: name, title, counts, length: bodyTerms.length }
  })
}

/** The passages that contain any of the terms, ranked by BM25. */
export function rankPassages(index: DocumentationIndex, terms: readonly string[]): RankedPassage[] {
  return index.passages
    .map((passage) => ({ passage, score: scoreOf(index, passage, terms) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
}

function scoreOf(
  { passages, averageLength, frequencies }: DocumentationIndex,
  { counts, length }: DocumentationPassage,
  terms: readonly string[],
): number {
  let score = 0
  for (const term of terms) {
    const count = counts.get(term) ?? 0
    const holders = frequencies.get(term) ?? 0
    const rarity = Math.log(1 + (passages.length - holders + 0.5) / (holders + 0.5))
    score += (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / averageLength))
  }
  return score
}
