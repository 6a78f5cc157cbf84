import { Hono } from 'hono'
import { findCallerAgent, type CallerAgent } from '#features/turns/index.ts'
import type { Context } from '#platform/context.ts'
import { anyOrigin, nameRequests } from '#surfaces/http/api-request.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { answerErrors, endRoutes } from '#surfaces/http/end-routes.ts'
import { authenticate, completions, exposedHeaders } from './completions.ts'
import { toChatFault } from './fault-table.ts'
import { receiveFeedback } from './feedback.ts'
import { responsesPaths, responsesRoutes } from './responses/responses-routes.ts'
import { toResponseError } from './responses/response-error.ts'

/** The chat surface, mounted at `/api/v1`. */
export function chatSurface(ctx: Context): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  // Before the middleware, because it sets its headers itself: see `completions`.
  app.post('/chat/completions', completions(ctx))
  // OpenAI's clients show X-Request-ID in their error messages.
  app.use(nameRequests({ from: 'x-correlation-id', to: ['X-Correlation-ID', 'X-Request-ID'] }))
  // Clients add headers over time (x-stainless-*).
  app.use(anyOrigin({ allowMethods: ['GET', 'POST', 'DELETE'], exposeHeaders: exposedHeaders }))
  app.post('/chat/feedback', (c) => receiveFeedback(ctx, c))
  app.get('/models', (c) => listModels(ctx, c))
  app.get('/models/:id', (c) => getModel(ctx, c))
  app.route('/', responsesRoutes(ctx))
  return endRoutes(ctx, app, { ...errors, unknownPaths: '*', allowsOptions: true })
}

const errors = { name: 'chat', refusals: 'info', answer: answerFault } as const

export const completionsPath = '/api/v1/chat/completions'

/**
 * The completions of `chatSurface` alone: among all routes of the service, finding theirs takes as
 * long as reading the request.
 *
 * @param basePaths where the service is mounted
 * @param other answers requests for other paths
 */
export function completionsSurface(
  ctx: Context,
  basePaths: Iterable<string>,
  other: Hono<HttpEnvironment>['fetch'],
): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  for (const base of basePaths) app.post(base + completionsPath, completions(ctx))
  app.notFound((c) => other(c.req.raw, c.env))
  answerErrors(ctx, app, errors)
  return app
}

function answerFault(c: Http, error: unknown): Response {
  const { status, message, reason } = toChatFault(error)
  // Only Node's own response can set the reason phrase; statusText of a Response is ignored.
  const { outgoing } = c.env ?? {}
  if (outgoing !== undefined && reason !== undefined) outgoing.statusMessage = reason
  const isResponse = responsesPaths.test(c.req.path)
  return c.json({ error: isResponse ? toResponseError(error).error : message }, status)
}

/** GET /api/v1/models in OpenAI's format: the agent of the key. */
async function listModels(ctx: Context, c: Http): Promise<Response> {
  const { agent } = await authenticate(ctx, c)
  return c.json({ object: 'list', data: agent === null ? [] : [modelShape(agent)] })
}

/** GET /api/v1/models/{id} */
async function getModel(ctx: Context, c: Http): Promise<Response> {
  const caller = await authenticate(ctx, c)
  const agent = await findCallerAgent(ctx, caller, c.req.param('id') ?? '')
  return c.json(modelShape(agent))
}

function modelShape(agent: CallerAgent) {
  const created = Math.floor(agent.createdAt / 1000)
  return { id: agent.appNameId, object: 'model', created, owned_by: 'parley' }
}
