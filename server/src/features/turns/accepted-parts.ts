import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { findWorkspaceAgent } from './find-workspace-agent.ts'
import { findModel } from './find-model.ts'

/** What a message to an agent can contain besides text. */
export interface AcceptedParts {
  readonly images: boolean
  readonly files: boolean
}

/** @throws Fault record_not_found */
export async function acceptedParts(
  ctx: Pick<Context, 'db' | 'config' | 'vault' | 'models'>,
  workspaceId: string,
  agentId: string,
): Promise<AcceptedParts> {
  const agent = await findWorkspaceAgent(ctx, workspaceId, agentId)
  const found = await findModel(ctx, agent, agent.settings.model)
  if (found instanceof Fault) return { images: false, files: false }
  return { images: found.sees, files: found.access.baseUrl !== null }
}
