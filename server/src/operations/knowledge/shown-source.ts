import { z } from 'zod'
import {
  refreshIntervals,
  sourceKinds,
  sourceStatuses,
  type Crawl,
  type Source,
} from '#features/knowledge/index.ts'
import { recordId, timestamp } from '#operations/operation.ts'
import { describeSourceError } from './source-error-wording.ts'
import { showAs } from '#operations/show-as.ts'

export const source = z.strictObject({
  id: recordId,
  app_id: recordId,
  workspace_id: recordId,
  kind: z.enum(sourceKinds),
  title: z.string(),
  url: z.string().nullable(),
  filename: z.string().nullable(),
  status: z.enum(sourceStatuses).describe('Searches find sources that are ready or partly ready'),
  stage: z.string().nullable(),
  progress: z.int().describe('In percent'),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  bytes: z.int(),
  document_count: z.int().describe('Pages of a crawl; 1 for a text or file'),
  chunk_count: z.int(),
  token_count: z.int().describe('An estimate'),
  refresh_every: z.enum(refreshIntervals).nullable(),
  last_indexed_at: timestamp.nullable(),
  next_refresh_at: timestamp.nullable(),
  crawl: z
    .strictObject({
      depth: z.int(),
      max_pages: z.int(),
      include: z.array(z.string()),
      exclude: z.array(z.string()),
    })
    .nullable(),
  created_at: timestamp,
  updated_at: timestamp,
})

const named = showAs(source)

function showCrawl({ depth, maxPages, include, exclude }: Crawl) {
  return { depth, max_pages: maxPages, include, exclude }
}

export function showSource(record: Source) {
  const { error, crawl } = record
  return named({
    ...record,
    error: error === null ? null : describeSourceError(error),
    crawl: crawl === null ? null : showCrawl(crawl),
  })
}

const pattern = z.string().min(1).max(500)
export const patterns = z.array(pattern).max(100)

/** Fields that adding and updating a source share. */
export const sourceTitle = z.string().trim().min(1).max(500).describe('The title in citations')
export const maxPages = z.int().min(1).max(5000)
