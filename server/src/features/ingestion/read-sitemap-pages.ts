import { CpuSlice } from '#kernel/cpu-slice.ts'
import { Fault } from '#kernel/fault.ts'
import type { DocumentAnswer } from './document-worker.ts'
import type { Ingestion } from './build-document.ts'
import { isSameSite, pageAddress } from './crawl/crawl-scope.ts'
import { fetchPage } from './crawl/fetch-page.ts'

interface Sitemap {
  /** The address of the sitemap after redirects. It lists pages of that site. */
  readonly url: string
  readonly pages: readonly string[]
  /** Its pages are sitemaps. */
  readonly isIndex: boolean
}

export interface SitemapPages extends Pick<Sitemap, 'url' | 'pages'> {
  /** Null when all were read. */
  readonly leftOut: SitemapsLeftOut | null
  /** Sitemaps of an index that are missing or invalid. The others are read. */
  readonly failures: readonly { readonly address: string; readonly fault: Fault }[]
}

/** Sitemaps of an index beyond the limit (`MAX_SITEMAPS`). */
export interface SitemapsLeftOut {
  readonly count: number
  readonly limit: number
}

/**
 * The pages that a sitemap lists, directly or through an index of sitemaps. An index lists no other
 * index (sitemaps.org).
 *
 * @throws Fault of the first sitemap, or of another one that is unavailable for now
 */
export async function readSitemapPages(ingestion: Ingestion, start: string): Promise<SitemapPages> {
  const limit = ingestion.ctx.config.maxSitemaps
  const first = await readSitemap(ingestion, start)
  const { url } = first
  const known = new Set([start, url])
  const waiting: string[] = []
  const pages = new Set<string>()
  const failures: { address: string; fault: Fault }[] = []
  const sort = async ({ pages: links, isIndex }: Sitemap) => {
    const slice = new CpuSlice()
    for (const link of links) {
      if (slice.isOver) await slice.next()
      const isCalledOne = /\.xml(?:\.gz)?$/i.test(new URL(link).pathname)
      const isSitemap = (isIndex || isCalledOne) && isSameSite(link, url)
      if (!isSitemap) pages.add(link)
      else if (!known.has(link)) waiting.push(link)
      known.add(link)
    }
  }
  await sort(first)
  for (let count = 0; count < limit; count++) {
    const address = waiting.shift()
    if (address === undefined) break
    try {
      await sort(await readSitemap(ingestion, address))
    } catch (error) {
      const isOwn = error instanceof Fault && error.kind !== 'internal'
      if (!isOwn || error.kind === 'unavailable') throw error
      failures.push({ address, fault: error })
    }
  }
  const leftOut = waiting.length === 0 ? null : { count: waiting.length, limit }
  return { url, pages: [...pages], leftOut, failures }
}

async function readSitemap({ ctx, worker, signal }: Ingestion, url: string): Promise<Sitemap> {
  const page = await fetchPage(ctx, url, null, signal)
  if (page === null) return { url, pages: [], isIndex: false }
  const task = { format: 'sitemap', charset: page.charset, url, title: null, fallbackTitle: url }
  const pages: string[] = []
  let isIndex = false
  for await (const value of worker.run(task, [page.body], signal)) {
    const answer = value as DocumentAnswer // what document-worker.ts yields
    if ('title' in answer) isIndex ||= answer.web?.isSitemapIndex ?? false
    await addPages(pages, linksIn(answer))
  }
  return { url: page.url, pages, isIndex }
}

function linksIn(answer: DocumentAnswer): readonly string[] {
  if ('title' in answer) return answer.web?.links ?? []
  return 'links' in answer ? answer.links : []
}

async function addPages(pages: string[], links: readonly string[]): Promise<void> {
  const slice = new CpuSlice()
  for (const link of links) {
    if (slice.isOver) await slice.next()
    const address = pageAddress(link)
    if (address !== null) pages.push(address)
  }
}
