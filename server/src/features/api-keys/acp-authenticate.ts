import { defineFaults, Fault } from '#kernel/fault.ts'
import { hashToken, tokenPrefixes } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { requireAllowedAddress } from './allowed-addresses.ts'
import { unknownSender, type Sender } from './sender.ts'
import { acpKeyOfHash } from './store.ts'

/** The five checks of the interface, in its order. */
export const acpKeyFaults = defineFaults({
  acp_key_missing: 'unauthenticated',
  acp_key_malformed: 'unauthenticated',
  acp_key_unknown: 'unauthenticated',
  acp_key_expired: 'expired',
  acp_key_of_other_agent: 'forbidden',
})

/** The holder of a checkout key: one agent of one workspace. */
export interface AcpCaller {
  readonly keyId: string
  readonly workspaceId: string
  readonly agentId: string
}

/**
 * Authenticates a checkout key in one joined read.
 *
 * @param token the bearer token; null when the header is missing or malformed
 * @param appId the agent in the URL, as UUID or `app_name_id`; null if the key alone decides
 * @throws Fault acp_key_missing, acp_key_malformed, acp_key_unknown (also revoked, and when its
 *   agent is deleted), key_address_refused, acp_key_expired, acp_key_of_other_agent
 */
export async function authenticateAcpKey(
  ctx: Pick<Context, 'db' | 'clock' | 'limits' | 'log'>,
  token: string | null,
  appId: string | null,
  sender: Sender = unknownSender,
): Promise<AcpCaller> {
  if (token === null) throw new Fault(acpKeyFaults.acp_key_missing)
  if (!token.startsWith(tokenPrefixes.acpKey)) throw new Fault(acpKeyFaults.acp_key_malformed)
  const [row] = await ctx.db.prepared(acpKeyOfHash).read({ hash: hashToken(token) })
  if (row === undefined || row.revoked_at !== null) throw new Fault(acpKeyFaults.acp_key_unknown)
  if (row.workspace_deleted_at !== null || row.agent_deleted_at !== null)
    throw new Fault(acpKeyFaults.acp_key_unknown)
  const { key_id: id, workspace_id: workspaceId, allowed_addresses: allowedAddresses } = row
  await requireAllowedAddress(ctx, { id, workspaceId, allowedAddresses }, sender, 'acp')
  if (row.expires_at !== null && row.expires_at <= ctx.clock.now())
    throw new Fault(acpKeyFaults.acp_key_expired)
  const named = appId?.toLowerCase()
  if (named !== undefined && named !== row.agent_id && named !== row.app_name_id)
    throw new Fault(acpKeyFaults.acp_key_of_other_agent)
  return { keyId: id, workspaceId, agentId: row.agent_id }
}
