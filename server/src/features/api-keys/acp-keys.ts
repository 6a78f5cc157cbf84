import { z } from 'zod'
import { requireAgent } from '#features/agents/index.ts'
import { newId } from '#kernel/ids.ts'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import { mintAcpKey } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { apiKeyFromRow, type ApiKey } from './api-key.ts'
import type { IssuedKey } from './create-chat-key.ts'
import { keyEnd, type KeyExpiry } from './key-expiry.ts'
import { insertKey, listKeys } from './store.ts'

/**
 * A key with which a shopping agent checks out at one agent, and nothing else.
 *
 * @throws Fault record_not_found, key_expiry_invalid
 */
export function createAcpKey(
  ctx: Pick<Context, 'db' | 'clock'>,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId: string },
  input: { readonly appId: string; readonly name: string } & KeyExpiry,
): Promise<IssuedKey> {
  const { token, hash, last4 } = mintAcpKey()
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const agent = await requireAgent(tx, workspaceId, input.appId)
    const row = {
      id: newId(now),
      kind: 'acp' as const,
      hash,
      last4,
      name: input.name,
      workspace_id: workspaceId,
      user_id: userId,
      agent_id: agent.id,
      scopes: null,
      created_at: now,
      expires_at: keyEnd(input, now),
      revoked_at: null,
      last_used_at: null,
    }
    await insertKey(tx, row)
    return { ...apiKeyFromRow(row), key: token }
  })
}

/**
 * The checkout keys of an agent that are not revoked, newest first; expired ones among them.
 *
 * @throws Fault record_not_found
 */
export async function listAcpKeys(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<ApiKey>> {
  const before = readCursor(cursor, z.guid())
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const filter = { workspaceId, kind: 'acp' as const, agentId: agent.id }
  const rows = await listKeys(ctx.db.read, filter, { limit: limit + 1, before })
  return pageOf(rows, limit, { key: (row) => row.id, item: apiKeyFromRow })
}
