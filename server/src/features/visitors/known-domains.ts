import type { Context } from '#platform/context.ts'
import { provenDomains } from './domain-store.ts'

/** How long a domain that was just proven may be unknown to a process. */
const renewedAfterMs = 3000

/** More than this are not kept in memory: each name is then looked up. */
const mostKept = 10_000

interface Names {
  /** Null if there are too many. */
  readonly names: ReadonlySet<string> | null
  readonly readAt: number
}

/**
 * The domains that pages have proven, as a process knows them: a caller can invent a host for every
 * request, and none of them may cost a read.
 */
export interface KnownDomains {
  /** Whether a page may be at a domain; never false for one that was proven some seconds ago. */
  mayHavePage(domain: string): Promise<boolean>
}

export function createKnownDomains({ db, clock }: Pick<Context, 'db' | 'clock'>): KnownDomains {
  let known: Names | null = null
  let renewing: Promise<Names> | null = null

  async function read(): Promise<Names> {
    const readAt = clock.now()
    const rows = await db.prepared(provenDomains).read({ limit: mostKept + 1 })
    const names = rows.length > mostKept ? null : new Set(rows.map(({ domain }) => domain ?? ''))
    return { names, readAt }
  }

  async function renew(): Promise<Names> {
    renewing ??= read().finally(() => {
      renewing = null
    })
    known = await renewing
    return known
  }

  const has = ({ names }: Names, domain: string) => names === null || names.has(domain)
  return {
    async mayHavePage(domain) {
      if (known !== null && has(known, domain)) return true
      // A clock that was set back must not keep the names for long.
      const isRecent = known !== null && Math.abs(clock.now() - known.readAt) < renewedAfterMs
      return !isRecent && has(await renew(), domain)
    },
  }
}
