import { documentFaults } from '#features/file-readers/index.ts'
import { maxFailedPages, type FailedPage, type SourceError } from '#features/knowledge/index.ts'

/**
 * A document with pages left out has no fingerprint, so the next reading reads it again and reports
 * the missing pages again.
 */
export const notWhole = { sha256: null, etag: null, last_modified: null }

/** The damaged pages of a document as failed pages; `#page=` is RFC 8118 §3. */
export function leftOutPages(address: string, numbers: readonly number[]): FailedPage[] {
  const { code } = documentFaults.document_damaged
  return numbers.map((page) => ({ url: `${address}#page=${page}`, code, facts: { page } }))
}

/** The error of a source that is one document; null when it is complete. */
export function leftOutError(address: string, numbers: readonly number[]): SourceError | null {
  if (numbers.length === 0) return null
  const facts = { count: numbers.length, pages_left_out: inWords(numbers) }
  const pages = leftOutPages(address, numbers.slice(0, maxFailedPages))
  return { code: 'document_pages_failed', facts, pages }
}

const maxRanges = 20

/** `3, 7–9`; ascending. */
function inWords(numbers: readonly number[]): string {
  const ranges: { from: number; to: number }[] = []
  for (const number of numbers) {
    const last = ranges.at(-1)
    if (last !== undefined && last.to === number - 1) last.to = number
    else ranges.push({ from: number, to: number })
  }
  const named = ranges.slice(0, maxRanges)
  const words = named.map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`))
  return words.join(', ') + (ranges.length > maxRanges ? ', …' : '')
}
