import { camelKeys } from '#kernel/key-case.ts'
import { tokenPrefixes } from '#kernel/tokens.ts'
import type { ApiKeyRow, KeyKind } from './store.ts'

/** A key as it may be shown: what it begins and ends with, never the key. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly workspaceId: string
  /** The agent it works for; null for a developer key. */
  readonly agentId: string | null
  readonly prefix: string
  readonly last4: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly lastUsedAt: number | null
  readonly revokedAt: number | null
}

export const keyPrefixes: Readonly<Record<KeyKind, string>> = {
  chat: tokenPrefixes.chatKey,
  developer: tokenPrefixes.developerKey,
  acp: tokenPrefixes.acpKey,
}

export function apiKeyFromRow({ hash: _hash, kind, ...row }: ApiKeyRow): ApiKey {
  return { ...camelKeys(row), prefix: keyPrefixes[kind] }
}
