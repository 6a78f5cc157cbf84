import { Hono, type Context as HonoContext } from 'hono'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { anyOrigin, nameRequests } from '#surfaces/http/api-request.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'
import { completions } from './completions.ts'
import { toChatFault } from './fault-table.ts'
import { receiveFeedback } from './feedback.ts'
import { getModel, listModels } from './models-endpoint.ts'

type Http = HonoContext<HttpEnvironment>

const exposedHeaders = ['X-Chat-Session-ID', 'X-Correlation-ID', 'X-Request-ID', 'Retry-After']

/** The chat surface, mounted at `/api/v1`. */
export function chatSurface(ctx: Context): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  // OpenAI's clients show X-Request-ID in their error messages.
  app.use(nameRequests({ from: 'x-correlation-id', to: ['X-Correlation-ID', 'X-Request-ID'] }))
  app.use(anyOrigin({ allowMethods: ['GET', 'POST'], exposeHeaders: exposedHeaders }))
  app.post('/chat/completions', completions(ctx))
  app.post('/chat/feedback', (c) => receiveFeedback(ctx, c))
  app.get('/models', (c) => listModels(ctx, c))
  app.get('/models/:id', (c) => getModel(ctx, c))
  for (const [path, allowed] of Object.entries(allowedMethods))
    app.all(path, (c) => {
      c.header('Allow', allowed)
      throw new Fault(requestFaults.method_not_allowed)
    })
  // Hono never calls notFound of a mounted app, so the last route does its work.
  app.all('*', () => {
    throw new Fault(requestFaults.unknown_path)
  })
  app.onError((error, c) => answerFault(ctx, c, error))
  return app
}

/** Reached only by methods that no route above takes. */
const allowedMethods = {
  '/chat/completions': 'POST, OPTIONS',
  '/chat/feedback': 'POST, OPTIONS',
  '/models': 'GET, HEAD, OPTIONS',
  '/models/:id': 'GET, HEAD, OPTIONS',
} as const

function answerFault(ctx: Context, c: Http, error: unknown): Response {
  const fault = toChatFault(error)
  const about = { requestId: c.get('requestId'), status: fault.status }
  if (c.req.raw.signal.aborted) ctx.log.info(about, 'the client disconnected')
  else if (fault.status >= 500) ctx.log.error({ ...about, err: error }, 'chat request failed')
  // The code alone: the message may repeat what the caller sent, at any length.
  else ctx.log.info({ ...about, code: codeOf(error) }, 'chat request refused')
  if (fault.retryAfterSeconds !== undefined)
    c.header('Retry-After', String(fault.retryAfterSeconds))
  // Only Node's own response can set the reason phrase; statusText of a Response is ignored.
  const { outgoing } = c.env ?? {}
  if (outgoing !== undefined && fault.reason !== undefined) outgoing.statusMessage = fault.reason
  return c.json({ error: fault.message }, fault.status)
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Fault ? error.code : undefined
}
