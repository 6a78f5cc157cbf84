import { newId } from '#kernel/ids.ts'
import { camelKeys } from '#kernel/key-case.ts'
import { mintAcpKey, mintToken, tokenPrefixes } from '#kernel/tokens.ts'
import type { Tx } from '#platform/db/database.ts'
import { insertKey, type ApiKeyRow, type KeyKind } from './store.ts'

/** A key as it is shown: its first and last characters, never the key itself. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly workspaceId: string
  /** The agent that it works for; null for a developer key. */
  readonly agentId: string | null
  readonly prefix: string
  readonly last4: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
}

const keyPrefixes: Readonly<Record<KeyKind, string>> = {
  chat: tokenPrefixes.chatKey,
  developer: tokenPrefixes.developerKey,
  acp: tokenPrefixes.acpKey,
}

type NewKey = Omit<
  ApiKeyRow,
  'id' | 'hash' | 'last4' | 'created_at' | 'revoked_at' | 'last_used_at'
>

/** A step: creates a key and stores its hash; the token is not stored. */
export async function issueKey(tx: Tx, now: number, key: NewKey) {
  const { kind } = key
  const { token, hash, last4 } = kind === 'acp' ? mintAcpKey() : mintToken(keyPrefixes[kind])
  const state = { created_at: now, revoked_at: null, last_used_at: null }
  const row: ApiKeyRow = { id: newId(now), hash, last4, ...key, ...state }
  await insertKey(tx, row)
  return { row, token }
}

export function apiKeyFromRow({ hash: _hash, kind, ...row }: ApiKeyRow): ApiKey {
  return { ...camelKeys(row), prefix: keyPrefixes[kind] }
}
