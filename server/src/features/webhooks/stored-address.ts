import { maskAddress } from '#kernel/mask-address.ts'
import type { Vault } from '#platform/vault.ts'
import type { EndpointRow } from './webhook-store.ts'

type StoredAddress = Pick<EndpointRow, 'url' | 'url_sealed'>

/** A URL of no scheme that anything is sent to: a version that does not know `url_sealed` retries later. */
const sealedScheme = 'sealed:'

/**
 * An address as the database stores it. If a part of it may be a credential, the whole is sealed, and
 * `url` only shows an operator where it leads.
 */
export function storedAddress(vault: Vault, address: string): StoredAddress {
  const shown = maskAddress(address)
  return shown === address
    ? { url: address, url_sealed: null }
    : { url: sealedScheme + shown, url_sealed: vault.seal(address) }
}

/** An address as lists for everybody show it: what may be a credential is hidden. */
export function shownAddress({ url }: Pick<StoredAddress, 'url'>): string {
  return url.startsWith(sealedScheme) ? url.slice(sealedScheme.length) : maskAddress(url)
}

export function addressOf(vault: Vault, { url, url_sealed: sealed }: StoredAddress): string {
  return sealed === null ? url : vault.open(sealed)
}
