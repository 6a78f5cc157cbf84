import { requireAgent } from '#features/agents/index.ts'
import { newId } from '#kernel/ids.ts'
import { mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { apiKeyFromRow, keyPrefixes, type ApiKey } from './api-key.ts'
import { keyEnd, type KeyExpiry } from './key-expiry.ts'
import { insertKey } from './store.ts'

export interface IssuedKey extends ApiKey {
  /** Shown once: only its hash is stored. */
  readonly key: string
}

/**
 * A key that works for one agent's chat API alone.
 *
 * @throws Fault record_not_found, key_expiry_invalid
 */
export function createChatKey(
  ctx: Pick<Context, 'db' | 'clock'>,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId: string },
  input: { readonly appId: string; readonly name: string } & KeyExpiry,
): Promise<IssuedKey> {
  const { token, hash, last4 } = mintToken(keyPrefixes.chat)
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const agent = await requireAgent(tx, workspaceId, input.appId)
    const row = {
      id: newId(now),
      kind: 'chat' as const,
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
