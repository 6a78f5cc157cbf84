import { CpuSlice } from '#kernel/cpu-slice.ts'
import type { Crawl } from '#features/knowledge/index.ts'
import { isIncluded, isSameSite, pageAddress } from './crawl-scope.ts'

/**
 * Addresses followed for each wanted page. Without an end to them, a crawl would never end on a site
 * whose pages are not indexed but link to ever new ones.
 */
const addressesPerPage = 20

export interface Waiting {
  readonly address: string
  readonly depth: number
}

/** The addresses that a crawl has found and not requested yet, in the order in which it found them. */
export class Frontier {
  /** The first address of the crawl, after redirects: no other site is read. */
  start: string
  private readonly crawl: Crawl
  private readonly waiting: Waiting[] = []
  private readonly seen = new Set<string>()

  constructor(crawl: Crawl, start: string) {
    this.crawl = crawl
    this.start = start
  }

  get length(): number {
    return this.waiting.length
  }

  next(): Waiting | undefined {
    return this.waiting.shift()
  }

  add(text: string, depth: number): void {
    const address = pageAddress(text)
    const isFull = this.seen.size >= this.crawl.maxPages * addressesPerPage
    if (address === null || this.seen.has(address) || isFull) return
    if (!isSameSite(address, this.start)) return
    const isStart = address === this.start
    // The first page is requested even if it is not included, because it may link to included ones.
    if (!isStart && !isIncluded(this.crawl, address)) return
    this.seen.add(address)
    this.waiting.push({ address, depth })
  }

  async follow(links: readonly string[], depth: number): Promise<void> {
    if (depth < this.crawl.depth) await this.addAll(links, depth + 1)
  }

  /** In slices of time: each address is parsed and compared with the patterns of the crawl. */
  async addAll(links: readonly string[], depth: number): Promise<void> {
    const slice = new CpuSlice()
    for (const link of links) {
      if (slice.isOver) await slice.next()
      this.add(link, depth)
    }
  }

  /** Marks another address of a page that was read, so that it is not requested again. */
  see(address: string): void {
    this.seen.add(address)
  }
}
