import { Hono } from 'hono'
import { responseFaults, type Place } from '#features/responses/index.ts'
import type { ChatCaller } from '#features/turns/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { authenticate, limitCaller } from './completions.ts'
import { createResponse } from './create-response.ts'
import { getResponse, listInputItems, removeResponse } from './read-responses.ts'

/** The paths whose errors have the shape of Open Responses. */
export const responsesPaths = /\/api\/v1\/(?:responses|conversations)(?:\/|$)/

/** The Responses API: the routes below `/api/v1`. */
export function responsesRoutes(ctx: Context): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.post('/responses', (c) => forCaller(ctx, c, (caller) => createResponse(ctx, c, caller)))
  const stored =
    (handle: (ctx: Context, c: Http, place: Place) => Promise<Response>) => (c: Http) =>
      forCaller(ctx, c, (caller) => handle(ctx, c, placeOf(caller)))
  app.get('/responses/:id', stored(getResponse))
  app.delete('/responses/:id', stored(removeResponse))
  app.get('/responses/:id/input_items', stored(listInputItems))
  return app
}

/** Handles a request with the key, the limits and the share of a chat completion. */
async function forCaller(
  ctx: Context,
  c: Http,
  handle: (caller: ChatCaller) => Promise<Response>,
): Promise<Response> {
  ctx.admission.admit('chat')
  const caller = await authenticate(ctx, c)
  await limitCaller(ctx, caller)
  return await ctx.db.forTenant(caller.workspaceId, () => handle(caller))
}

function placeOf({ workspaceId, agent }: ChatCaller): Place {
  // The agent of this key was deleted, and so its responses.
  if (agent === null) throw new Fault(responseFaults.response_unknown)
  return { workspaceId, agentId: agent.id }
}
