import { requireAgent } from '#features/agents/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import { mintAcpKey, mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { apiKeyFromRow, keyPrefixes, type ApiKey } from './api-key.ts'
import { keyEnd, type KeyExpiry } from './key-expiry.ts'
import { findKey, insertKey, listKeys, markRevoked } from './store.ts'

/** Keys that work for one agent: `chat` for its chat API, `acp` for its checkout. */
export type AgentKeyKind = 'chat' | 'acp'

export interface NewAgentKey extends KeyExpiry {
  readonly kind: AgentKeyKind
  /** UUID or `app_name_id`. */
  readonly appId: string
  readonly name: string
}

export interface IssuedKey extends ApiKey {
  /** Shown once: only its hash is stored. */
  readonly key: string
}

/** @throws Fault record_not_found, key_expiry_invalid */
export function createAgentKey(
  ctx: Pick<Context, 'db' | 'clock'>,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId: string },
  input: NewAgentKey,
): Promise<IssuedKey> {
  const { kind } = input
  const { token, hash, last4 } = kind === 'acp' ? mintAcpKey() : mintToken(keyPrefixes[kind])
  return ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const agent = await requireAgent(tx, workspaceId, input.appId)
    const row = {
      id: newId(now),
      kind,
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
 * An agent's keys of one kind that are not revoked, newest first; expired ones among them.
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
 * Ends a key at once, in every process: keys are looked up on each request. A key that is revoked
 * already keeps the time of its first revocation.
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
