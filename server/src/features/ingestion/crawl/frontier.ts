import type { Crawl } from '#features/knowledge/index.ts'
import { isIncluded, isSameSite, pageAddress } from './crawl-scope.ts'

/** Queued addresses for each page wanted; more would never be read. */
const waitingPerPage = 20

export interface Waiting {
  readonly address: string
  readonly depth: number
}

/** The addresses that a crawl has found and not asked for yet, in the order in which it found them. */
export class Frontier {
  /** Where the crawl begins, after redirects: no other site is read. */
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
    const isFull = this.waiting.length >= this.crawl.maxPages * waitingPerPage
    if (address === null || this.seen.has(address) || isFull) return
    if (!isSameSite(address, this.start)) return
    const isStart = address === this.start
    // A page that is not included may still lead to those that are: but only the first one is asked.
    if (!isStart && !isIncluded(this.crawl, address)) return
    this.seen.add(address)
    this.waiting.push({ address, depth })
  }

  follow(links: readonly string[], depth: number): void {
    if (depth < this.crawl.depth) for (const link of links) this.add(link, depth + 1)
  }

  /** Another address of a page that was read: it is not asked for again. */
  see(address: string): void {
    this.seen.add(address)
  }
}
