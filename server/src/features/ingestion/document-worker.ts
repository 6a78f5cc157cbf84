import { z } from 'zod'
import {
  documentFormats,
  readDocument,
  type Section,
  type WebPage,
} from '#features/file-readers/index.ts'
import { analyseChunks, chunkText, type AnalysedChunk } from '#features/text-analysis/index.ts'
import { storableText } from '#kernel/json.ts'
import type { TaskRunner } from '#platform/bounded-workers/bounded-workers.ts'

const documentTask = z.object({
  format: z.enum(documentFormats),
  charset: z.string().nullable(),
  url: z.string().nullable(),
  /** The title of the source; null to use the document's. */
  title: z.string().nullable(),
  /** The title if the document has none. */
  fallbackTitle: z.string(),
})

export type DocumentTask = z.infer<typeof documentTask>

/** What the worker yields for a document: its head, then its chunks. */
export type DocumentAnswer =
  | {
      readonly title: string
      readonly pageCount: number | null
      readonly web: WebPage | null
    }
  /** Further links of a sitemap. */
  | { readonly links: readonly string[] }
  | { readonly chunks: AnalysedChunk[]; readonly progress: number }
  /** The number of a damaged page. */
  | { readonly lostPage: number }

/** Small, because storing one batch delays other requests by some milliseconds. */
const chunksPerAnswer = 20
/** As many as a page has. The service parses an answer at once. */
const linksPerAnswer = 2000

/** Runs in a process of its own, see BoundedWorkers: reads, splits and analyses one document. */
export const runTask: TaskRunner = async function* (input, bytes): AsyncGenerator<DocumentAnswer> {
  const task = documentTask.parse(input)
  const { charset, url } = task
  const reading = await readDocument(task.format, bytes, { charset, url })
  const title = storableText(task.title ?? reading.title ?? task.fallbackTitle)
  const { pageCount = null, web = null } = reading
  const links = web?.links ?? []
  const head = links.slice(0, linksPerAnswer)
  yield { title, pageCount, web: web === null ? null : { ...web, links: head } }
  for (let at = linksPerAnswer; at < links.length; at += linksPerAnswer)
    yield { links: links.slice(at, at + linksPerAnswer) }
  let next = 0
  for await (const section of reading.sections) {
    const { text, page, progress } = section
    if (text === null) {
      if (page !== null) yield { lostPage: page }
      continue
    }
    const chunks = chunksOf(text, page, next)
    next += chunks.length
    for (let at = 0; at < chunks.length; at += chunksPerAnswer) {
      const batch = chunks.slice(at, at + chunksPerAnswer)
      yield { chunks: analyseChunks(title, batch), progress }
    }
    if (chunks.length === 0) yield { chunks: [], progress }
  }
}

function chunksOf(text: string, page: Section['page'], first: number) {
  return chunkText(storableText(text)).map((chunk, at) => ({ ...chunk, page, ordinal: first + at }))
}
