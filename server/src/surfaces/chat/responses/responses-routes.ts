import { Hono } from 'hono'
import { responseFaults, type Place } from '#features/responses/index.ts'
import type { CallerAgent, ChatCaller } from '#features/turns/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { authenticate, limitCaller } from '#surfaces/chat/completions.ts'
import { compactResponse } from './compact-response.ts'
import { addConversationRoutes } from './conversation-routes.ts'
import { createResponse } from './create-response.ts'
import { addFileRoutes } from '#surfaces/chat/files/file-routes.ts'
import { cancel, getResponse, listInputItems, removeResponse } from './read-responses.ts'

/** The paths whose errors have OpenAI's shape. */
export const responsesPaths = /\/api\/v1\/(?:responses|conversations|files)(?:\/|$)/

/** The Responses API and its files: the routes below `/api/v1`. */
export function responsesRoutes(ctx: Context): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.post('/responses', (c) => forCaller(ctx, c, (caller) => createResponse(ctx, c, caller)))
  app.post('/responses/compact', (c) =>
    forCaller(ctx, c, (caller) => compactResponse(ctx, c, caller)),
  )
  const stored =
    (handle: (ctx: Context, c: Http, place: Place) => Promise<Response>) => (c: Http) =>
      forCaller(ctx, c, (caller) => handle(ctx, c, placeOf(caller)))
  app.get('/responses/:id', (c) =>
    forCaller(ctx, c, (caller) => getResponse(ctx, c, agentOf(caller))),
  )
  app.delete('/responses/:id', stored(removeResponse))
  app.get('/responses/:id/input_items', stored(listInputItems))
  app.post('/responses/:id/cancel', stored(cancel))
  addFileRoutes(app, stored)
  addConversationRoutes(
    app,
    (handle) => (c) => forCaller(ctx, c, (caller) => handle(ctx, c, agentOf(caller), caller.keyId)),
  )
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

function placeOf(caller: ChatCaller): Place {
  return { workspaceId: caller.workspaceId, agentId: agentOf(caller).id }
}

function agentOf({ agent }: ChatCaller): CallerAgent {
  // The agent of this key was deleted, and so its responses.
  if (agent === null) throw new Fault(responseFaults.response_unknown)
  return agent
}
