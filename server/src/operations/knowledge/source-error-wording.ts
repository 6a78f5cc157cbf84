import type { documentFaults } from '#features/file-readers/index.ts'
import type { ingestionFaults, pageFaults } from '#features/ingestion/index.ts'
import type { SourceError } from '#features/knowledge/index.ts'
import { say, type Without, type Words, type WordsByCode } from '#kernel/fault-table.ts'
import type { workerFaults } from '#platform/bounded-workers/bounded-workers.ts'
import { limitWords } from '#operations/limit-words.ts'

/** The faults that a source can store, without our own errors. */
type ReadingFaults = typeof pageFaults &
  Pick<typeof ingestionFaults, 'source_empty' | 'source_format_unknown'> &
  Without<typeof documentFaults, 'document_damaged' | 'document_format_unknown'> &
  Without<typeof workerFaults, 'worker_crashed'>

/** Problems that a source stores without a fault. */
type StoredProblems = {
  readonly interrupted: string
  readonly limit_reached: Words<{ limit: string; things: string; per: string; allowed: number }>
  readonly document_damaged: Words<{ page?: number }>
  readonly document_pages_failed: Words<{ count: number; pages_left_out: string }>
  readonly embedding_failed: Words<{ model: string; reason: string }>
  readonly sitemaps_left_out: Words<{ sitemaps: number; limit: number }>
  readonly pages_failed: Words<PagesFailed>
}

/** The number of failed pages, the first one with its own code and facts, and left-out sitemaps. */
type PagesFailed = SourceError['facts'] & {
  readonly count: number
  readonly url: string
  readonly code: string
}

/** Each sentence explains the problem and, if there is one, the next step. */
const byCode: WordsByCode<ReadingFaults> & StoredProblems = {
  interrupted: 'Reading it was interrupted. Refresh it; if that does not help, add it again.',
  limit_reached: ({ per, ...facts }) =>
    `It has more content than the limit of ${limitWords(facts)} per ${per} allows. Delete a source and refresh this one, or ask the operator to raise ${facts.limit} in LIMITS.`,
  source_empty: 'It contains no readable text. If it is a scan, run text recognition on it first.',
  source_format_unknown: 'Documents of this kind cannot be read.',
  document_damaged: ({ page }) =>
    page === undefined
      ? 'The document is damaged, or its format does not match its name. Open it, save it again and add that file.'
      : `Page ${page} of the document is damaged and left out. Open it, save it again and add that file.`,
  document_pages_failed: ({ count, pages_left_out: numbers }) =>
    `${count === 1 ? 'A page of the document is damaged and left out' : `${count} pages of the document are damaged and left out`}: ${numbers}. Searches find the others. Open it, save it again and add that file.`,
  document_locked:
    'The document needs a password, or has the format of an old Office version. Save it without a password, as .pdf, .docx or .xlsx.',
  document_unpacks_too_large: ({ limit_megabytes }) =>
    `The document unpacks to more than ${limit_megabytes} MB. Split it.`,
  worker_out_of_memory: 'Reading the document took too much memory. Split it.',
  worker_out_of_time: 'Reading the document took too long. Split it.',
  embedding_failed: ({ model, reason }) =>
    `Searches find it by words, not by meaning: ${model} ${embeddingProblems[reason] ?? 'did not embed it'}. Parley retries every ten minutes.`,
  page_unreachable: 'The address could not be reached. Check it, then refresh the source.',
  page_too_slow: 'The page took too long to answer. Refresh the source later.',
  page_unavailable: ({ status }) =>
    `The site could not answer${status === undefined ? '' : ` (${status})`}. Refresh the source later.`,
  page_refused: ({ status }) =>
    `The site refuses to show us the page (${status}). Pages behind a sign-in cannot be read.`,
  page_missing: ({ status }) => `The page does not exist (${status}). Check the address.`,
  page_redirects: 'The page redirects endlessly. Check the address.',
  page_too_large: 'The page is larger than 16 MB, or endless. Add it as a file.',
  page_address_refused: 'The address, or one that it redirects to, is not on the public web.',
  pages_none:
    'The site has no page to read. A sitemap must list pages of its own site, and include and exclude must not remove them all.',
  page_disallowed: "The site's robots.txt does not allow us to read this.",
  sitemaps_left_out: ({ sitemaps, limit }) =>
    `${sitemaps} of the sitemaps that the index lists were not read: the limit is ${limit} (MAX_SITEMAPS). Add those as sources of their own.`,
  pages_failed: (facts) => {
    const failed =
      facts.count === 1
        ? '1 page could not be read. It'
        : `${facts.count} pages could not be read. One of them`
    const leftOut = facts.sitemaps === undefined ? '' : ` ${wordsOf('sitemaps_left_out', facts)}`
    return `${failed} is ${facts.url}: ${wordsOf(facts.code, facts)}${leftOut}`
  },
}

const embeddingProblems: Readonly<Record<string, string>> = {
  rejected: 'rejects the key',
  limited: 'allows no more calls for now',
  unreachable: 'cannot be reached',
  timeout: 'takes too long to answer',
  bad_answer: 'does not return an embedding',
  refused_request: 'rejects the request: check the model name',
}

function wordsOf(code: string, facts: SourceError['facts']): string {
  const words: Readonly<Record<string, Words<never>>> = byCode
  return say(
    words[code] ?? 'It could not be read. Refresh it; the log of the service has the details.',
    facts,
  )
}

export function describeSourceError({ code, facts }: SourceError) {
  return { code, message: wordsOf(code, facts) }
}
