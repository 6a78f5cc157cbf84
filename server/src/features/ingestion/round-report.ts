import {
  maxFailedPages,
  plainFacts,
  type FailedPage,
  type SourceError,
} from '#features/knowledge/index.ts'
import type { Fault } from '#kernel/fault.ts'
import { leftOutError, leftOutPages } from './left-out-pages.ts'
import type { SitemapsLeftOut } from './read-sitemap-pages.ts'

/** The failures of one reading of pages, and the error that they amount to. */
export class RoundReport {
  private readonly failures: { readonly address: string; readonly fault: Fault }[] = []
  private readonly damaged: { readonly address: string; readonly numbers: readonly number[] }[] = []

  failed(address: string, fault: Fault): void {
    this.failures.push({ address, fault })
  }

  /** Damaged pages of a document. */
  leftOut(address: string, numbers: readonly number[]): void {
    if (numbers.length > 0) this.damaged.push({ address, numbers })
  }

  get firstFault(): Fault | undefined {
    return this.failures[0]?.fault
  }

  /** The error of a source that is one page. */
  ofDocument(): SourceError | null {
    const [only] = this.damaged
    return only === undefined ? null : leftOutError(only.address, only.numbers)
  }

  /** The error of a site. Pages that are gone or forbidden do not count as failures. */
  ofPages(sitemaps: SitemapsLeftOut | null): SourceError | null {
    const failed: FailedPage[] = this.failures
      .filter(({ fault }) => fault.kind !== 'not_found' && fault.kind !== 'forbidden')
      .map(({ address: url, fault }) => ({ url, code: fault.code, facts: plainFacts(fault.facts) }))
    failed.push(...this.damaged.flatMap(({ address, numbers }) => leftOutPages(address, numbers)))
    const [first] = failed
    const cut = sitemaps === null ? {} : { sitemaps: sitemaps.count, limit: sitemaps.limit }
    if (first !== undefined) {
      const { code, url } = first
      const facts = { ...first.facts, ...cut, count: failed.length, code, url }
      return { code: 'pages_failed', facts, pages: failed.slice(0, maxFailedPages) }
    }
    return sitemaps === null ? null : { code: 'sitemaps_left_out', facts: cut }
  }
}
