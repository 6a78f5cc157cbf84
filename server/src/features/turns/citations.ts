import type { Passage } from '#platform/models/model.ts'

/** A passage that the answer rests on, as callers see it. */
export interface Citation {
  readonly source_id: string
  readonly title: string
  readonly url: string | null
  readonly page: number | null
  readonly heading: string
  readonly passage: string
  readonly score: number
}

/**
 * The passages behind an answer: those the adapter names, else those the answer cites as `[n]`,
 * else all that the model was given, since it does not say which it used.
 */
export function citationsOf(
  passages: readonly Passage[],
  answer: string,
  cited: readonly number[] | null,
): Citation[] {
  const indexes = cited ?? citedInText(answer, passages.length)
  const used = indexes.flatMap((index) => passages[index] ?? [])
  return used.map((passage) => ({
    source_id: passage.sourceId,
    title: passage.title,
    url: passage.url,
    page: passage.page,
    heading: passage.heading,
    passage: passage.text,
    score: passage.score,
  }))
}

function citedInText(answer: string, count: number): readonly number[] {
  const all = Array.from({ length: count }, (_, index) => index)
  const named = all.filter((index) => answer.includes(`[${index + 1}]`))
  return named.length > 0 ? named : all
}
