import { mintToken } from '#kernel/tokens.ts'
import type { Vault } from '#platform/vault.ts'

/** Begins a link that is stored sealed. A link of a version before has no colon. */
export const sealedMark = 'sealed:'

/** A secret link of a page, as the database stores it. */
export function newLink(vault: Vault): string {
  return sealLink(vault, mintToken('').token.slice(0, 27))
}

export function sealLink(vault: Vault, link: string): string {
  return sealedMark + vault.seal(link)
}

/** The link itself, which editors share with visitors. */
export function linkOf(vault: Vault, stored: string): string {
  return stored.startsWith(sealedMark) ? vault.open(stored.slice(sealedMark.length)) : stored
}
