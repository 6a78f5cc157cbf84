import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { CallerAgent, ChatCaller } from './authenticate-caller.ts'
import { findAgentWorkspace } from './caller-store.ts'
import { turnFaults as faults } from './turn-faults.ts'

/**
 * The agent that `model` names, if the caller's key is that agent's.
 *
 * @param model the `app_name_id`, or the agent's UUID
 * @throws Fault agent_unknown (also for an agent of another workspace, which must not be told from
 *   none), key_of_other_agent
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
