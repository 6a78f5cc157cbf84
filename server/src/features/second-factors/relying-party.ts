import { isIP } from 'node:net'
import type { Config } from '#config'

/** The service as passkeys know it (WebAuthn §4, "Relying Party"). */
export interface RelyingParty {
  readonly id: string
  readonly origin: string
}

/**
 * From BASE_URL, never from a request. Null where browsers offer no passkeys: they need https and a
 * host name, or localhost.
 */
export function relyingParty({ baseUrl }: Pick<Config, 'baseUrl'>): RelyingParty | null {
  const { protocol, hostname, origin } = new URL(baseUrl)
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0
  const isPossible = hostname === 'localhost' || (protocol === 'https:' && isName)
  return isPossible ? { id: hostname, origin } : null
}
