import { Resolver } from 'node:dns/promises'
import type { Config } from '#config'

/** TXT records of names that users enter. */
export interface DnsTexts {
  /** @returns the texts at a name, empty if there are none; null if no server gave an answer */
  textsOf(name: string): Promise<readonly string[] | null>
}

/** For one server; the next one is asked afterwards. */
const timeoutMs = 2000
const tries = 2

/** Answers that say that there is no such record. */
const absent = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

export function createDnsTexts({ dnsServers }: Pick<Config, 'dnsServers'>): DnsTexts {
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  if (dnsServers.length > 0) resolver.setServers(dnsServers)
  return {
    async textsOf(name) {
      try {
        // A record consists of strings of at most 255 bytes (RFC 1035 §3.3.14).
        return (await resolver.resolveTxt(name)).map((strings) => strings.join(''))
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : ''
        return absent.has(code) ? [] : null
      }
    },
  }
}
