import type { DocumentAnswer } from './document-worker.ts'
import type { Ingestion } from './build-document.ts'
import { isSameSite, pageAddress } from './crawl-scope.ts'
import { fetchPage } from './fetch-page.ts'

/** An index may name others; none names an index again (sitemaps.org). */
const mostSitemaps = 50

export interface SitemapPages {
  /** Where the sitemap is, after redirects: what it lists is of that site. */
  readonly url: string
  readonly pages: readonly string[]
}

/** The pages that a sitemap lists, also through an index of sitemaps. */
export async function readSitemapPages(ingestion: Ingestion, start: string): Promise<SitemapPages> {
  let url = start
  const waiting = [start]
  const pages = new Set<string>()
  for (let count = 0; count < mostSitemaps; count++) {
    const address = waiting.shift()
    if (address === undefined) break
    const sitemap = await readSitemap(ingestion, address)
    if (count === 0) url = sitemap.url
    for (const link of sitemap.pages) {
      const isSitemap = /\.xml(?:\.gz)?$/i.test(new URL(link).pathname)
      if (isSitemap && isSameSite(link, url)) waiting.push(link)
      else pages.add(link)
    }
  }
  return { url, pages: [...pages] }
}

async function readSitemap({ ctx, worker, signal }: Ingestion, url: string): Promise<SitemapPages> {
  const page = await fetchPage(ctx, url, null, signal)
  if (page === null) return { url, pages: [] }
  const task = { format: 'sitemap', charset: page.charset, url, title: null, fallbackTitle: url }
  const links: string[] = []
  for await (const value of worker.run(task, [page.body], signal)) {
    const answer = value as DocumentAnswer // what document-worker.ts yields
    if ('title' in answer) links.push(...(answer.web?.links ?? []))
  }
  return { url: page.url, pages: links.flatMap((link) => pageAddress(link) ?? []) }
}
