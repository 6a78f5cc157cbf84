import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { applyOptions } from './apply-options.ts'
import { requireOwnNames } from './caller-tools.ts'
import { findModel } from './find-model.ts'
import { requireAbilities } from './message-parts.ts'
import { ownMessages, type SessionRequest } from './session-request.ts'
import { requireCheckable } from './structured-answer.ts'

/**
 * Refuses what a turn would refuse of a request, for a request that a job answers later.
 *
 * @throws Fault field_forbidden, field_out_of_bounds, field_not_supported, tool_name_taken, images_not_supported,
 *   audio_not_supported, files_not_supported, schema_unchecked
 */
export async function requireAcceptable(
  ctx: Pick<Context, 'db' | 'config' | 'vault' | 'models'>,
  request: SessionRequest,
): Promise<void> {
  const { agent, options } = request
  if (options !== undefined) applyOptions(ctx, request, options)
  await requireOwnNames(ctx, request)
  const found = await findModel(ctx, agent, agent.settings.model)
  // Whether the agent has a model is known when it answers.
  if (found instanceof Fault) return
  requireAbilities(found, agent.appNameId, ownMessages(request))
  requireCheckable(ctx, options?.responseFormat, found.access)
}
