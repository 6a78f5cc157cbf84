import type { Config } from '#config'
import type { MintedToken } from '#kernel/tokens.ts'
import type { Tx } from '#platform/db/database.ts'
import { insertSetupLink } from './store.ts'

const setupLinkLifetimeMs = 24 * 60 * 60 * 1000

export interface SetupLink {
  readonly token: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** A step: a one-time link for choosing a password, which only the operator sees. */
export async function addSetupLink(
  tx: Tx,
  now: number,
  { id }: { readonly id: string },
  { token, hash }: MintedToken,
): Promise<SetupLink> {
  const expires_at = now + setupLinkLifetimeMs
  await insertSetupLink(tx, { hash, user_id: id, created_at: now, expires_at })
  return { token, expiresAt: expires_at }
}

/** The page where the link is used. */
export function setupAddress({ baseUrl }: Pick<Config, 'baseUrl'>, token: string): string {
  return `${baseUrl}/setup?token=${token}`
}
