import { findCallerAgent, type CallerAgent } from '#features/turns/index.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { authenticate } from './completions.ts'

/** GET /api/v1/models in OpenAI's format: the agent of the key. */
export async function listModels(ctx: Context, c: Http): Promise<Response> {
  const { agent } = await authenticate(ctx, c)
  return c.json({ object: 'list', data: agent === null ? [] : [modelShape(agent)] })
}

/** GET /api/v1/models/{id} */
export async function getModel(ctx: Context, c: Http): Promise<Response> {
  const caller = await authenticate(ctx, c)
  const agent = await findCallerAgent(ctx, caller, c.req.param('id') ?? '')
  return c.json(modelShape(agent))
}

function modelShape(agent: CallerAgent) {
  const created = Math.floor(agent.createdAt / 1000)
  return { id: agent.appNameId, object: 'model', created, owned_by: 'parley' }
}
