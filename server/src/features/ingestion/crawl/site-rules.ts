import { isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { fetchPage } from './fetch-page.ts'
import { pageFaults } from './page-faults.ts'
import { allForbidden, noRules, readRobots, type RobotsRules } from './robots-rules.ts'

/** The robots.txt rules of the sites of one run, each read once. */
export class SiteRules {
  private readonly ctx: Pick<Context, 'outbound'>
  private readonly signal: AbortSignal
  private readonly known = new Map<string, RobotsRules>()

  constructor(ctx: Pick<Context, 'outbound'>, signal: AbortSignal) {
    this.ctx = ctx
    this.signal = signal
  }

  async of(address: string): Promise<RobotsRules> {
    const { origin } = new URL(address)
    const rules = this.known.get(origin) ?? (await this.read(origin))
    this.known.set(origin, rules)
    return rules
  }

  private async read(origin: string): Promise<RobotsRules> {
    try {
      const page = await fetchPage(this.ctx, `${origin}/robots.txt`, null, this.signal)
      return page === null ? noRules : readRobots(page.body.toString())
    } catch (error) {
      // RFC 9309 §2.3.1: without the file everything is allowed; if the site fails, nothing is.
      const { page_missing, page_refused, page_unavailable } = pageFaults
      if (isFault(error, page_missing) || isFault(error, page_refused)) return noRules
      if (isFault(error, page_unavailable)) return allForbidden
      throw error
    }
  }
}
