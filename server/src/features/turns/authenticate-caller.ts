import { readAgentSettings, type AgentSettings } from '#features/agents/index.ts'
import { requireAllowedAddress, unknownSender, type Sender } from '#features/api-keys/index.ts'
import { limitReached } from '#features/quotas/index.ts'
import { daySeconds } from '#kernel/durations.ts'
import { Fault } from '#kernel/fault.ts'
import { allowedOf } from '#kernel/limits.ts'
import { isPlan, plans, type Plan } from '#kernel/plan.ts'
import { hashToken, hasKeyForm, tokenPrefixes } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import {
  chatKeyOfHash,
  findAgentWorkspace,
  type AgentOfPageRow,
  type CallerRow,
} from './caller-store.ts'
import { turnFaults as faults } from './turn-faults.ts'

/** An agent as a turn needs it. */
export interface CallerAgent {
  readonly id: string
  readonly appNameId: string
  readonly workspaceId: string
  readonly version: number
  readonly createdAt: number
  readonly settings: AgentSettings
  readonly hasKnowledge: boolean
  /** Whether it has actions or remote tools. */
  readonly hasTools: boolean
  /** What its workspace's conversations hold, as it was counted some minutes ago. */
  readonly heldMessages: number
  readonly heldBytes: number
  /** False when the workspace has no provider of its own; absent when not looked up. */
  readonly hasOwnProviders?: boolean
  /** The workspace's plan, and whether it has credit caps; absent when not looked up. */
  readonly plan?: Plan
  readonly hasCaps?: boolean
  /** The number of prices; absent when not looked up. */
  readonly priceCount?: number
}

/** The holder of a chat key: one agent of one workspace. */
export interface ChatCaller {
  readonly keyId: string
  /** When the use of the key was last recorded. */
  readonly lastUsedAt: number | null
  readonly workspaceId: string
  /** Null when the key's agent was deleted: the key is valid, but no agent can be found with it. */
  readonly agent: CallerAgent | null
}

/**
 * Authenticates a chat key in one joined read.
 *
 * @param token the bearer token, or null when the request has none
 * @param senderOf called for a key with allowed addresses
 * @throws Fault key_missing; key_unknown (unknown, revoked or expired); key_address_refused;
 *   plan_not_paid
 */
export async function authenticateCaller(
  ctx: Pick<Context, 'db' | 'clock' | 'limits' | 'log'>,
  token: string | null,
  senderOf: () => Sender = () => unknownSender,
): Promise<ChatCaller> {
  if (token === null) throw new Fault(faults.key_missing)
  if (!hasKeyForm(token, tokenPrefixes.chatKey)) throw new Fault(faults.key_unknown)
  const [row] = await ctx.db.prepared(chatKeyOfHash).readShared({ hash: hashToken(token) })
  if (row === undefined || !isValid(row, ctx.clock.now())) throw new Fault(faults.key_unknown)
  const { key_id: id, workspace_id: workspaceId, allowed_addresses: allowedAddresses } = row
  if (allowedAddresses !== null)
    await requireAllowedAddress(ctx, { id, workspaceId, allowedAddresses }, senderOf(), 'chat')
  if (!isPlan(row.plan) || !plans[row.plan].chatApi) throw new Fault(faults.plan_not_paid)
  return {
    keyId: id,
    lastUsedAt: row.last_used_at,
    workspaceId,
    agent: row.agent_deleted_at === null ? toCallerAgent(row, row.plan) : null,
  }
}

function isValid(row: CallerRow, now: number): boolean {
  const expired = row.expires_at !== null && row.expires_at <= now
  return row.revoked_at === null && !expired && row.workspace_deleted_at === null
}

/** An agent with all that a turn needs, from one read. */
export function toCallerAgent(row: AgentOfPageRow, plan: Plan): CallerAgent {
  return {
    id: row.agent_id,
    appNameId: row.app_name_id,
    workspaceId: row.workspace_id,
    version: row.agent_version,
    createdAt: row.agent_created_at,
    settings: readAgentSettings(row.settings_json),
    hasKnowledge: row.has_knowledge === 1,
    hasTools: row.has_tools === 1,
    heldMessages: row.held_messages ?? 0,
    heldBytes: row.held_bytes ?? 0,
    hasOwnProviders: row.has_own_providers === 1,
    plan,
    hasCaps: row.has_caps === 1,
    priceCount: row.price_count,
  }
}

/**
 * The agent that `model` names, if the caller's key is that agent's.
 *
 * @param model the `app_name_id`, or the agent's UUID
 * @throws Fault agent_unknown (also for an agent of another workspace, so that its existence is not
 *   revealed), key_of_other_agent
 */
export async function findCallerAgent(
  ctx: Pick<Context, 'db'>,
  caller: ChatCaller,
  model: string,
): Promise<CallerAgent> {
  const { agent } = caller
  if (agent !== null && (agent.appNameId === model || agent.id === model)) return agent
  const workspaceId = await findAgentWorkspace(ctx, model)
  if (workspaceId === caller.workspaceId) throw new Fault(faults.key_of_other_agent)
  throw new Fault(faults.agent_unknown, { model })
}

/**
 * Refuses a turn that would be stored in a workspace at its limit.
 *
 * @throws Fault limit_reached
 */
export function requireMessageRoom(
  { config }: Pick<Context, 'config'>,
  { heldMessages, heldBytes }: CallerAgent,
): void {
  const held = { messages_per_workspace: heldMessages, message_bytes_per_workspace: heldBytes }
  for (const limit of ['messages_per_workspace', 'message_bytes_per_workspace'] as const) {
    const allowed = allowedOf(config, limit)
    if (allowed !== null && held[limit] >= allowed) throw limitReached(limit, allowed)
  }
}

/**
 * Refuses what would make a conversation longer than it may be.
 *
 * @param messages how many it would have
 * @throws Fault limit_reached
 */
export function requireConversationRoom(
  { config }: Pick<Context, 'config'>,
  messages: number,
): void {
  const allowed = allowedOf(config, 'messages_per_conversation')
  if (allowed !== null && messages > allowed)
    throw limitReached('messages_per_conversation', allowed)
}

/**
 * Counts a turn of an agent, whatever its caller: the day of the workspace bounds the ledger, which is
 * kept.
 *
 * @throws Fault agent_rate_limited, turns_limited
 */
export async function countTurn(
  { config, limits }: Pick<Context, 'config' | 'limits'>,
  { id, workspaceId }: { readonly id: string; readonly workspaceId: string },
): Promise<void> {
  const { chatAgentRateLimit: inMinute, turnsPerDay: inDay } = config
  if (inMinute !== null) {
    const window = { limit: inMinute, windowSeconds: 60 }
    const { allowed, retryAfterSeconds } = await limits.consumeInBlocks(`chat:agent:${id}`, window)
    if (!allowed) throw new Fault(faults.agent_rate_limited, { limit: inMinute, retryAfterSeconds })
  }
  if (inDay === null) return
  const window = { limit: inDay, windowSeconds: daySeconds }
  const { allowed, retryAfterSeconds } = await limits.consumeInBlocks(
    `turns:${workspaceId}`,
    window,
  )
  if (!allowed) throw new Fault(faults.turns_limited, { limit: inDay, retryAfterSeconds })
}
