import { z } from 'zod'
import type { Fault } from '#kernel/fault.ts'
import { camelKeys } from '#kernel/key-case.ts'
import type { SourceRow } from './store.ts'

/**
 * `queued`: waits to be read. `processing`: is being read. `ready`: searches find all of it. `partial`:
 * searches find what could be read, or an older version; `error` says why. `failed`: they find nothing.
 */
export const sourceStatuses = ['queued', 'processing', 'ready', 'partial', 'failed'] as const
type SourceStatus = (typeof sourceStatuses)[number]

/** The rows of answers have the kind `text`: see `is_answer`. */
export const sourceKinds = ['text', 'file', 'url', 'sitemap', 'answer'] as const
type SourceKind = (typeof sourceKinds)[number]

export const refreshIntervals = ['hour', 'day', 'week', 'month'] as const
export type RefreshInterval = (typeof refreshIntervals)[number]

const crawlSchema = z.object({
  /** The number of links from the start page to the farthest pages. */
  depth: z.int(),
  maxPages: z.int(),
  /** Patterns of addresses or paths, with `*` for any characters. Empty includes all. */
  include: z.array(z.string()),
  exclude: z.array(z.string()),
  /** The title that a person gave; null to use each page's own. */
  title: z.string().nullable(),
})

export type Crawl = z.infer<typeof crawlSchema>

const factsSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

/** The number of failed pages of a crawl that are stored with their reasons. */
export const maxFailedPages = 100

const failedPageSchema = z.object({ url: z.string(), code: z.string(), facts: factsSchema })

/** A page that could not be read, as the code of a fault with its facts. */
export type FailedPage = z.infer<typeof failedPageSchema>

/** Why reading failed, as the code of a fault with its facts. */
export interface SourceError {
  readonly code: string
  readonly facts: z.infer<typeof factsSchema>
  readonly pages?: readonly FailedPage[]
}

/** The facts of a fault that are stored: all but arrays. */
export function plainFacts(facts: Fault['facts']): SourceError['facts'] {
  return factsSchema.parse(
    Object.fromEntries(Object.entries(facts).filter(([, fact]) => !Array.isArray(fact))),
  )
}

/** A part of an agent's knowledge: a text, a file, or pages of the web. */
export interface Source {
  readonly id: string
  readonly agentId: string
  readonly workspaceId: string
  readonly kind: SourceKind
  readonly title: string
  readonly url: string | null
  readonly filename: string | null
  readonly crawl: Crawl | null
  readonly status: SourceStatus
  /** The present step of a `processing` source. */
  readonly stage: string | null
  /** In percent. */
  readonly progress: number
  readonly error: SourceError | null
  /** The size of a file or of a text in UTF-8; 0 for pages. */
  readonly bytes: number
  readonly documentCount: number
  readonly chunkCount: number
  /** An estimate, see estimateTokens. */
  readonly tokenCount: number
  readonly refreshEvery: RefreshInterval | null
  readonly lastIndexedAt: number | null
  readonly nextRefreshAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

export function sourceFromRow(row: SourceRow): Source {
  return {
    ...camelKeys(row),
    kind: row.is_answer === 1 ? 'answer' : oneOf(sourceKinds, row.kind),
    crawl: crawlOf(row),
    status: oneOf(sourceStatuses, row.status),
    error: errorOf(row),
    bytes: row.byte_length,
    refreshEvery: row.refresh_every === null ? null : oneOf(refreshIntervals, row.refresh_every),
  }
}

/** How pages are found; null for a text or a file. */
export function crawlOf({ crawl_json }: Pick<SourceRow, 'crawl_json'>): Crawl | null {
  return crawl_json === null ? null : crawlSchema.parse(JSON.parse(crawl_json))
}

function errorOf({ error_code: code, error_facts_json: facts }: SourceRow): SourceError | null {
  if (code === null) return null
  const { pages, ...plain } = z.record(z.string(), z.unknown()).parse(JSON.parse(facts ?? '{}'))
  const failed = pages === undefined ? {} : { pages: z.array(failedPageSchema).parse(pages) }
  return { code, facts: factsSchema.parse(plain), ...failed }
}

function oneOf<const Names extends readonly string[]>(names: Names, value: string): Names[number] {
  const known = names.find((name) => name === value)
  if (known !== undefined) return known
  throw new Error(`Unknown value of a source in the database: ${value}`)
}
