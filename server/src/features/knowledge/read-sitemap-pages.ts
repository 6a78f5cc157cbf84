import type { DocumentAnswer } from './document-worker.ts'
import type { Ingestion } from './build-document.ts'
import { isSameSite, pageAddress } from './crawl-scope.ts'
import { fetchPage } from './fetch-page.ts'

/** An index may name others; none names an index again (sitemaps.org). */
const mostSitemaps = 50

/** The pages that a sitemap lists, also through an index of sitemaps. */
export async function readSitemapPages(ingestion: Ingestion, start: string): Promise<string[]> {
  const waiting = [start]
  const pages = new Set<string>()
  for (let count = 0; count < mostSitemaps; count++) {
    const address = waiting.shift()
    if (address === undefined) break
    for (const link of await addressesOf(ingestion, address)) {
      const isSitemap = /\.xml(?:\.gz)?$/i.test(new URL(link).pathname)
      if (isSitemap && isSameSite(link, start)) waiting.push(link)
      else pages.add(link)
    }
  }
  return [...pages]
}

async function addressesOf({ ctx, worker, signal }: Ingestion, url: string): Promise<string[]> {
  const page = await fetchPage(ctx, url, null, signal)
  if (page === null) return []
  const task = { format: 'sitemap', charset: page.charset, url, title: null, fallbackTitle: url }
  const links: string[] = []
  for await (const value of worker.run(task, [page.body], signal)) {
    const answer = value as DocumentAnswer // what document-worker.ts yields
    if ('title' in answer) links.push(...(answer.web?.links ?? []))
  }
  return links.flatMap((link) => pageAddress(link) ?? [])
}
