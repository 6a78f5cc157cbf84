import type { SourceError } from '#features/knowledge/index.ts'

type Wording = (facts: SourceError['facts']) => string

/** What went wrong with reading a source, in one sentence that names the next step where there is one. */
const byCode: Record<string, Wording> = {
  interrupted: () =>
    'Storing or reading it was cut off. Refresh it; if that does not help, add it once more.',
  source_empty: () =>
    'Nothing in it could be read. A scan is a picture: make its text readable first.',
  source_format_unknown: () => 'Documents of this kind cannot be read.',
  document_damaged: ({ page }) =>
    page === undefined
      ? 'The document is damaged, or not what its name says. Open it, save it anew and add that.'
      : `Page ${String(page)} of the document is damaged and left out. Open it, save it anew and add that.`,
  document_pages_failed: ({ count, pages_left_out: numbers }) =>
    `${count === 1 ? 'A page of the document is damaged and left out' : `${String(count)} pages of the document are damaged and left out`}: ${String(numbers)}. The others are found. Open it, save it anew and add that.`,
  document_locked: () =>
    'The document needs a password, or has the format of an old Office. Save it without a password, as .pdf, .docx or .xlsx.',
  document_unpacks_too_large: ({ limit_megabytes }) =>
    `The document unpacks to more than ${String(limit_megabytes)} MB. Split it.`,
  worker_out_of_memory: () => 'Reading the document took too much memory. Split it.',
  worker_out_of_time: () => 'Reading the document took too long. Split it.',
  embedding_failed: ({ model, reason }) =>
    `Words find it, meaning does not: ${String(model)} ${embeddingProblems[String(reason)] ?? 'did not embed it'}. It is tried again every ten minutes.`,
  page_unreachable: () =>
    'The address could not be reached. Check it, then have the source read again.',
  page_too_slow: () => 'The page took too long to answer. Have the source read again later.',
  page_unavailable: ({ status }) =>
    `The site could not answer${status === undefined ? '' : ` (${String(status)})`}. Have the source read again later.`,
  page_refused: ({ status }) =>
    `The site does not show the page to us (${String(status)}). Pages behind a sign-in cannot be read.`,
  page_missing: ({ status }) => `There is no such page (${String(status)}). Check the address.`,
  page_redirects: () => 'The page redirects without end. Check the address.',
  page_too_large: () => 'The page is larger than 16 MB, or has no end. Add it as a file.',
  page_address_refused: () => 'The address, or where it leads, is not one of the public web.',
  pages_none: () =>
    'There was no page of the site to read. A sitemap must list pages of its own site, and include and exclude must leave some.',
  page_disallowed: () => "The site's robots.txt asks us not to read this.",
  sitemaps_left_out: ({ sitemaps, limit }) =>
    `${String(sitemaps)} of the sitemaps that the index lists were not read: ${String(limit)} are (MAX_SITEMAPS). Add those as sources of their own.`,
  pages_failed: (facts) =>
    `${facts.count === 1 ? '1 page could not be read. It' : `${String(facts.count)} pages could not be read. One of them`} is ${String(facts.url)}: ${byCode[String(facts.code)]?.(facts) ?? somethingElse}${facts.sitemaps === undefined ? '' : ` ${byCode.sitemaps_left_out?.(facts) ?? ''}`}`,
}

const embeddingProblems: Readonly<Record<string, string>> = {
  rejected: 'refuses the key',
  limited: 'allows no more calls for now',
  unreachable: 'cannot be reached',
  timeout: 'takes too long to answer',
  bad_answer: 'answers with something that is no embedding',
  refused_request: 'refuses the request: check the name of the model',
}

const somethingElse =
  'It could not be read. Have it read again; the log of the service has the details.'

export function describeSourceError({ code, facts }: SourceError) {
  return { code, message: byCode[code]?.(facts) ?? somethingElse }
}
