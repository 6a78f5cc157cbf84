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

export function apiKeyFromRow(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    workspaceId: row.workspace_id,
    agentId: row.agent_id,
    prefix: keyPrefixes[row.kind],
    last4: row.last4,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }
}
