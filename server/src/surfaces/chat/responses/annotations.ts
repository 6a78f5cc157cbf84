import type { Citation } from '#features/turns/index.ts'

interface Annotation {
  readonly type: 'url_citation'
  readonly url: string
  readonly title: string
  readonly start_index: number
  readonly end_index: number
}

/**
 * Citations as annotations. The text cites passages as `[1]`; each place of a citation's number is an
 * annotation. Citations of which the text marks none apply to all of it. Indexes count code points, as
 * OpenAI's do.
 */
export function annotationsOf(text: string, citations: readonly Citation[]): Annotation[] {
  if (citations.length === 0) return []
  const marks = [...text.matchAll(/\[(\d{1,4})\]/g)]
  const numbered = byNumber(marks, citations)
  if (!marks.some(([, number]) => numbered.has(Number(number))))
    return citations.map((citation) => annotation(citation, 0, lengthOf(text)))
  let [start, from] = [0, 0]
  return marks.slice(0, mostPlaces).flatMap((mark) => {
    start += lengthOf(text.slice(from, mark.index))
    from = mark.index
    const citation = numbered.get(Number(mark[1]))
    return citation === undefined ? [] : [annotation(citation, start, start + mark[0].length)]
  })
}

/** The citations of an older version have no numbers: those of the text are in their order, if as many. */
function byNumber(
  marks: readonly RegExpExecArray[],
  citations: readonly Citation[],
): ReadonlyMap<number, Citation> {
  const known = citations.flatMap((citation) =>
    citation.number === undefined ? [] : [[citation.number, citation] as const],
  )
  if (known.length > 0) return new Map(known)
  const numbers = [...new Set(marks.map(([, number]) => Number(number)))].toSorted((a, b) => a - b)
  if (numbers.length !== citations.length) return new Map()
  return new Map(citations.flatMap((citation, n) => [[numbers[n] ?? 0, citation] as const]))
}

/** An answer that repeats its marks must not become a hundred times as long. */
const mostPlaces = 500

function annotation({ source_id, url, title }: Citation, start: number, end: number): Annotation {
  return {
    type: 'url_citation',
    // A source without an address is named by its id (RFC 9562 §4).
    url: url ?? `urn:uuid:${source_id}`,
    title,
    start_index: start,
    end_index: end,
  }
}

function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}
