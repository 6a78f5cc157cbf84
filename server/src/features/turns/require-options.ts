import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { applyOptions } from './apply-options.ts'
import { findModel } from './find-model.ts'
import type { RequestOptions, SessionRequest } from './session-request.ts'
import { requireCheckable } from './structured-answer.ts'

/**
 * Refuses the options that a turn would refuse, for a request that a job answers later.
 *
 * @throws Fault field_forbidden, field_out_of_bounds, field_not_supported, schema_unchecked
 */
export async function requireOptions(
  ctx: Pick<Context, 'db' | 'config' | 'vault' | 'models'>,
  request: SessionRequest,
  options: RequestOptions,
): Promise<void> {
  const { agent } = applyOptions(ctx, request, options)
  const found = await findModel(ctx, agent, agent.settings.model)
  // Whether the agent has a model is known when it answers.
  if (found instanceof Fault) return
  requireCheckable(ctx, options.responseFormat, found.access)
}
