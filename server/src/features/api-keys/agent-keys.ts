import { requireRecordRoom } from '#features/quotas/index.ts'
import { requireAgent } from '#features/agents/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { writeBlocks } from './allowed-addresses.ts'
import { apiKeyFromRow, issueKey, type ApiKey } from './api-key.ts'
import { keyEnd, type KeyExpiry } from './key-expiry.ts'
import { findKey, listKeys, markRevoked } from './store.ts'

/** Keys that work for one agent: `chat` for its chat API, `acp` for its checkout. */
export type AgentKeyKind = 'chat' | 'acp'

interface NewAgentKey extends KeyExpiry {
  readonly kind: AgentKeyKind
  /** UUID or `app_name_id`. */
  readonly appId: string
  readonly name: string
  /** Addresses and networks in CIDR notation; default: any. */
  readonly allowedAddresses?: readonly string[] | undefined
}

interface IssuedKey extends ApiKey {
  /** Shown once: only its hash is stored. */
  readonly key: string
}

/** @throws Fault record_not_found, key_expiry_invalid, address_block_invalid */
export function createAgentKey(
  ctx: Pick<Context, 'db' | 'clock' | 'config'>,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId: string },
  input: NewAgentKey,
): Promise<IssuedKey> {
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const agent = await requireAgent(tx, workspaceId, input.appId)
    await requireRecordRoom(tx, ctx, 'keys_per_workspace', workspaceId)
    const { row, token } = await issueKey(tx, now, {
      kind: input.kind,
      name: input.name,
      workspace_id: workspaceId,
      user_id: userId,
      agent_id: agent.id,
      scopes: null,
      allowed_addresses: writeBlocks(input.allowedAddresses),
      expires_at: keyEnd(input, now),
    })
    return { ...apiKeyFromRow(row), key: token }
  })
}

/**
 * An agent's keys of one kind, newest first: not revoked ones, but also expired ones.
 *
 * @throws Fault record_not_found
 */
export async function listAgentKeys(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  { kind, appId }: Pick<NewAgentKey, 'kind' | 'appId'>,
  page: PageRequest,
): Promise<Page<ApiKey>> {
  const agent = await requireAgent(ctx.db.read, workspaceId, appId)
  const filter = { workspaceId, kind, agentId: agent.id }
  return await pageById(page, (window) => listKeys(ctx.db.read, filter, window), apiKeyFromRow)
}

/**
 * Revokes a key at once in every process, because each request looks up its key. A key that is
 * already revoked keeps the time of its first revocation.
 *
 * @throws Fault record_not_found
 */
export function revokeAgentKey(
  ctx: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  kind: AgentKeyKind,
  id: string,
): Promise<ApiKey> {
  return ctx.db.write(async (tx) => {
    const row = await findKey(tx, workspaceId, kind, id)
    if (row === undefined) throw new Fault(commonFaults.record_not_found)
    const revoked_at = row.revoked_at ?? ctx.clock.now()
    await markRevoked(tx, id, revoked_at)
    return apiKeyFromRow({ ...row, revoked_at })
  })
}
