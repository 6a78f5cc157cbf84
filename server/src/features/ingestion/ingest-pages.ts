import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { formatOf, knownExtensions } from '#features/file-readers/index.ts'
import { vectorIndex } from '#features/embeddings/index.ts'
import {
  listDocumentRows,
  updateDocument,
  crawlOf,
  updateSource,
  type DocumentRow,
  type Crawl,
  type SourceError,
} from '#features/knowledge/index.ts'
import { quotaFaults } from '#features/quotas/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import {
  buildDocument,
  type BuiltDocument,
  type DocumentHead,
  type Ingestion,
} from './build-document.ts'
import { isIncluded, isSameSite, pageAddress } from './crawl/crawl-scope.ts'
import { Frontier, type Waiting } from './crawl/frontier.ts'
import { fetchPage, type FetchedPage } from './crawl/fetch-page.ts'
import { ingestionFaults } from './ingestion-faults.ts'
import { pageFaults } from './crawl/page-faults.ts'
import { notWhole } from './left-out-pages.ts'
import { publishDocument, retireDocument } from './publish-document.ts'
import { readSitemapPages, type SitemapsLeftOut } from './read-sitemap-pages.ts'
import { noRules, type RobotsRules } from './crawl/robots-rules.ts'
import { RoundReport } from './round-report.ts'
import { SiteRules } from './crawl/site-rules.ts'

/** The crawl stops for this round after this many failed or truncated pages in a row. */
const maxLostInARow = 10
const maxPauseMs = 200
const linksSchema = z.array(z.string())

/** Reads a page, or the pages it links to, and skips unchanged ones. */
export async function ingestPages(ingestion: Ingestion): Promise<SourceError | null> {
  const crawl = crawlOf(ingestion.source)
  const { url } = ingestion.source
  if (crawl === null || url === null) throw new Error('a source of pages has no address')
  return await new PageReader(ingestion, crawl, url).run()
}

class PageReader {
  private readonly ingestion: Ingestion
  private readonly crawl: Crawl
  private readonly isOnePage: boolean
  private readonly rules: SiteRules
  private readonly frontier: Frontier
  /** Documents by address: those of earlier rounds, then those of this one. */
  private readonly documents = new Map<string, DocumentRow>()
  private readonly present = new Set<string>()
  private readCount = 0
  private readonly report = new RoundReport()
  private sitemapsLeftOut: SitemapsLeftOut | null = null
  private lostInARow = 0

  constructor(ingestion: Ingestion, crawl: Crawl, start: string) {
    this.ingestion = ingestion
    this.crawl = crawl
    this.frontier = new Frontier(crawl, start)
    this.isOnePage = ingestion.source.kind === 'url' && crawl.depth === 0
    this.rules = new SiteRules(ingestion.ctx, ingestion.signal)
  }

  async run(): Promise<SourceError | null> {
    const { ctx, source, signal } = this.ingestion
    for (const document of await listDocumentRows(ctx.db.read, source.id))
      if (document.status === 'ready')
        this.documents.set(document.url ?? this.frontier.start, document)
    if (source.kind === 'sitemap') await this.addListed()
    else this.frontier.add(this.frontier.start, 0)
    for (let next = this.frontier.next(); next !== undefined; next = this.frontier.next()) {
      signal.throwIfAborted()
      if (this.present.size >= this.crawl.maxPages || this.isLost) break
      await this.readPage(next)
    }
    return await this.settle()
  }

  /** True when the site seems down: each failing page takes up to half a minute, and others wait. */
  private get isLost(): boolean {
    return this.lostInARow >= maxLostInARow
  }

  private async addListed(): Promise<void> {
    const { url, pages, leftOut, failures } = await readSitemapPages(
      this.ingestion,
      this.frontier.start,
    )
    this.frontier.start = url
    this.sitemapsLeftOut = leftOut
    for (const { address, fault } of failures) this.report.failed(address, fault)
    await this.frontier.addAll(pages, 0)
  }

  private async readPage(page: Waiting): Promise<void> {
    const { source, resumes } = this.ingestion
    const known = this.documents.get(page.address) ?? null
    const isWhole = known !== null && known.sha256 !== null
    const isRead = isWhole && known.checked_at >= (source.round_started_at ?? 0)
    if (resumes && isRead) {
      await this.keep(known, page.depth)
      return
    }
    const startedAt = performance.now()
    try {
      await this.request(page, known)
      this.lostInARow = 0
    } catch (error) {
      const isOwn = error instanceof Fault && error.code !== commonFaults.record_not_found.code
      if (!isOwn || this.isOnePage || error.kind === 'internal') throw error
      // Every further page would fail in the same way.
      if (error.code === quotaFaults.limit_reached.code) throw error
      this.report.failed(page.address, error)
      const isLost = error.kind === 'unavailable' || error.kind === 'too_large'
      this.lostInARow = isLost ? this.lostInARow + 1 : 0
      // A page that is unavailable for now keeps its last version; one that is gone does not.
      if (error.kind === 'unavailable' && known !== null) this.present.add(known.id)
    }
    this.readCount += 1
    // Pause for as long as the page took, so that the site and this service can serve others.
    await sleep(Math.min(performance.now() - startedAt, maxPauseMs))
  }

  private async keep(known: DocumentRow, depth: number): Promise<void> {
    this.present.add(known.id)
    await this.frontier.follow(linksSchema.parse(JSON.parse(known.links_json)), depth)
  }

  private async request({ address, depth }: Waiting, known: DocumentRow | null): Promise<void> {
    const { ctx, signal } = this.ingestion
    const { delayMs } = await this.requireAllowed(address)
    if (delayMs > 0 && this.readCount > 0) await sleep(delayMs, undefined, { signal })
    const page = await fetchPage(ctx, address, known, signal)
    if (page === null && known !== null) return await this.confirm(known, depth)
    if (page === null) return
    if (address === this.frontier.start) this.frontier.start = page.url
    if (!isSameSite(page.url, this.frontier.start)) return
    if (page.url !== address) await this.requireAllowed(page.url)
    this.frontier.see(page.url)
    const sha256 = createHash('sha256').update(page.body).digest('hex')
    const before = known ?? this.documents.get(page.url) ?? null
    const isSame = before !== null && before.sha256 === sha256
    if (isSame && this.mayIndex(page)) return await this.confirm(before, depth)
    await this.index({ address: page.url, depth, page, sha256, known: before })
  }

  /**
   * The robots.txt rules for an address. They do not apply to a single page that a person names.
   *
   * @throws Fault page_disallowed
   */
  private async requireAllowed(address: string): Promise<RobotsRules> {
    if (this.isOnePage) return noRules
    const rules = await this.rules.of(address)
    if (rules.allows(new URL(address))) return rules
    throw new Fault(pageFaults.page_disallowed, { url: address })
  }

  /** The page has not changed: nothing is indexed again. */
  private async confirm(known: DocumentRow, depth: number): Promise<void> {
    const { ctx } = this.ingestion
    const now = ctx.clock.now()
    await ctx.db.write((tx) => updateDocument(tx, known, { checked_at: now }))
    await this.keep(known, depth)
  }

  private async index(read: ReadPage): Promise<void> {
    const { address, depth, page, sha256 } = read
    const pathname = new URL(page.url).pathname
    const format = formatOf({ mediaType: page.mediaType, filename: pathname })
    if (format === null || format === 'sitemap') {
      // Many pages link to pictures and similar files.
      if (address !== this.frontier.start) return
      throw new Fault(ingestionFaults.source_format_unknown, {
        known: knownExtensions,
        url: address,
      })
    }
    const { charset, url } = page
    const { head, document, lostPages } = await buildDocument(this.ingestion, {
      task: {
        format,
        charset,
        url,
        title: this.isOnePage ? this.crawl.title : null,
        fallbackTitle: url,
      },
      bytes: [page.body],
      given: { sha256, url: address, etag: page.etag, last_modified: page.lastModified },
      wants: (head) => this.wants(head, read),
      progress: (part) => this.progress(part),
    })
    await this.frontier.follow(linksOf(head, read), depth)
    if (document !== null) return await this.publish({ document, head, lostPages }, read)
    if (this.isOnePage) throw new Fault(ingestionFaults.source_empty)
    const namesake = this.documents.get(this.canonicalOf(head, address))
    if (namesake === undefined || namesake.sha256 !== sha256 || !this.mayIndex(page)) return
    this.frontier.see(namesake.url ?? address)
    if (!this.present.has(namesake.id)) await this.confirm(namesake, depth)
  }

  /** Whether its headers allow indexing. A single page that a person names is always indexed. */
  private mayIndex({ robots }: FetchedPage): boolean {
    return this.isOnePage || robots.mayIndex
  }

  private wants(head: DocumentHead, { address, sha256, page }: ReadPage): boolean {
    const { web } = head
    if (this.isOnePage) return true
    if (!this.mayIndex(page) || web?.mayIndex === false || !isIncluded(this.crawl, address))
      return false
    const name = this.canonicalOf(head, address)
    const namesake = this.documents.get(name)
    if (name === address || namesake === undefined) return true
    // Another address of a page that this round has already read, or that is unchanged.
    return !this.present.has(namesake.id) && namesake.sha256 !== sha256
  }

  /** The canonical address of a page, if it is on the same site. */
  private canonicalOf({ web }: DocumentHead, address: string): string {
    const canonical = web?.canonical ?? null
    if (canonical === null || this.isOnePage || !isSameSite(canonical, address)) return address
    return pageAddress(canonical) ?? address
  }

  private async publish(built: PublishedDocument, read: ReadPage): Promise<void> {
    const { document, head, lostPages } = built
    const { ctx, source } = this.ingestion
    const url = this.canonicalOf(head, read.address)
    this.frontier.see(url)
    const replaced = read.known ?? this.documents.get(url)
    const change = {
      url,
      title: head.title.slice(0, 500),
      page_count: head.pageCount,
      ...(lostPages.length === 0 ? {} : notWhole),
      links_json: JSON.stringify(linksOf(head, read).filter((link) => isSameSite(link, url))),
      ...(replaced === undefined || replaced === null ? {} : { replaces: replaced.id }),
    }
    const named = source.title === source.url && read.address === this.frontier.start
    const row = await ctx.db.write(async (tx) => {
      if (named) await updateSource(tx, source.id, { title: change.title })
      const published = await publishDocument(tx, ctx, document.id, change)
      // Chunks with the same text and title as before are not embedded again.
      if (replaced?.title === published.title)
        await vectorIndex(ctx.db).inherit(tx, replaced.id, published.id)
      return published
    })
    this.documents.set(url, row)
    this.present.add(row.id)
    this.report.leftOut(url, lostPages)
  }

  private progress(part: number): number {
    const all = Math.min(this.crawl.maxPages, this.readCount + this.frontier.length + 1)
    return Math.min(1, (this.readCount + part) / all)
  }

  /** Retires the pages that this round did not find, and returns the error of the round. */
  private async settle(): Promise<SourceError | null> {
    const { ctx, source } = this.ingestion
    if (this.present.size === 0) throw this.report.firstFault ?? new Fault(pageFaults.pages_none)
    // After giving up on a site, it is unknown which pages are gone.
    if (!this.isLost)
      for (const { id } of await listDocumentRows(ctx.db.read, source.id))
        if (!this.present.has(id)) await ctx.db.write((tx) => retireDocument(tx, id))
    if (this.isOnePage) return this.report.ofDocument()
    // A full crawl was cut off by its own limit, not by that of sitemaps.
    const isFull = this.present.size >= this.crawl.maxPages
    return this.report.ofPages(isFull ? null : this.sitemapsLeftOut)
  }
}

interface PublishedDocument extends Pick<BuiltDocument, 'head' | 'lostPages'> {
  readonly document: DocumentRow
}

interface ReadPage extends Waiting {
  readonly page: FetchedPage
  readonly sha256: string
  readonly known: DocumentRow | null
}

function linksOf({ web }: DocumentHead, { page }: ReadPage): readonly string[] {
  return page.robots.mayFollow ? (web?.links ?? []) : []
}
