import { asDrafted, getAgent, getDraftedAgent } from '#features/agents/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { isPlan } from '#kernel/plan.ts'
import type { Context } from '#platform/context.ts'
import { toCallerAgent, type CallerAgent } from './authenticate-caller.ts'
import { agentOfPage, findAbilities } from './caller-store.ts'

/** Which settings of the agent answer; by default those that callers get. */
export interface AgentVariant {
  /** Those of an earlier version, or those of the draft, if there is one. */
  readonly version?: number | 'draft' | undefined
  /** Another model than theirs, without fallback models: its id. */
  readonly model?: string | undefined
}

/**
 * An agent as a turn needs it, for a member of its workspace, who uses no chat key.
 *
 * @param appId its UUID or `app_name_id`
 * @throws Fault record_not_found, version_not_found
 */
export async function findWorkspaceAgent(
  ctx: Pick<Context, 'db'>,
  workspaceId: string,
  appId: string,
  { version: wanted, model }: AgentVariant = {},
): Promise<CallerAgent> {
  const found =
    wanted === 'draft'
      ? asDrafted(await getDraftedAgent(ctx, workspaceId, appId))
      : await getAgent(ctx, workspaceId, appId, wanted)
  const { id, appNameId, version, createdAt } = found
  const settings =
    model === undefined ? found.settings : { ...found.settings, model, fallback_models: [] }
  const agent = { id, appNameId, workspaceId, version, createdAt, settings }
  const has = await findAbilities(ctx.db.read, id)
  return {
    ...agent,
    hasKnowledge: has.has_knowledge === 1,
    hasTools: has.has_tools === 1,
    heldMessages: has.held_messages ?? 0,
    heldBytes: has.held_bytes ?? 0,
  }
}

/**
 * An agent as a turn needs it, for a visitor of its chat page, in one read.
 *
 * @throws Fault record_not_found
 */
export async function findAgentOfPage(
  ctx: Pick<Context, 'db'>,
  given: { readonly workspaceId: string; readonly agentId: string },
): Promise<CallerAgent> {
  const [row] = await ctx.db.prepared(agentOfPage).readShared(given)
  if (row === undefined || !isPlan(row.plan)) throw new Fault(commonFaults.record_not_found)
  return toCallerAgent(row, row.plan)
}
