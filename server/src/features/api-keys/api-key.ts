import { newId } from '#kernel/ids.ts'
import { camelKeys } from '#kernel/key-case.ts'
import { mintAcpKey, mintKey, tokenPrefixes } from '#kernel/tokens.ts'
import type { Tx } from '#platform/db/database.ts'
import { readBlocks } from './allowed-addresses.ts'
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
  /** CIDR blocks; null for any address. */
  readonly allowedAddresses: readonly string[] | null
  /** True if leak scanners recognise the key. */
  readonly hasChecksum: boolean
  readonly lastUsedAt: number | null
  /** An IPv4 address or an IPv6 network. */
  readonly lastUsedAddress: string | null
  readonly lastUsedAgent: string | null
  readonly revokedAt: number | null
}

const keyPrefixes: Readonly<Record<KeyKind, string>> = {
  chat: tokenPrefixes.chatKey,
  developer: tokenPrefixes.developerKey,
  acp: tokenPrefixes.acpKey,
}

type NewKey = Pick<
  ApiKeyRow,
  'kind' | 'name' | 'workspace_id' | 'user_id' | 'agent_id' | 'scopes' | 'expires_at'
> &
  Partial<Pick<ApiKeyRow, 'reach_json' | 'allowed_addresses'>>

/** A step: creates a key and stores its hash; the token is not stored. */
export async function issueKey(tx: Tx, now: number, key: NewKey) {
  const { kind } = key
  const { token, hash, last4 } = kind === 'acp' ? mintAcpKey() : mintKey(keyPrefixes[kind])
  const row: ApiKeyRow = {
    id: newId(now),
    hash,
    last4,
    reach_json: null,
    allowed_addresses: null,
    ...key,
    has_checksum: kind === 'acp' ? 0 : 1,
    created_at: now,
    revoked_at: null,
    last_used_at: null,
    last_used_address: null,
    last_used_agent: null,
    rotate_since: null,
    rotate_reason: null,
  }
  await insertKey(tx, row)
  return { row, token }
}

export function apiKeyFromRow(row: ApiKeyRow): ApiKey {
  const { hash: _hash, kind, reach_json: _reach, allowed_addresses, has_checksum, ...same } = row
  return {
    ...camelKeys(same),
    prefix: keyPrefixes[kind],
    allowedAddresses: readBlocks(allowed_addresses),
    hasChecksum: has_checksum === 1,
  }
}
