import { Hono, type Context as HonoContext } from 'hono'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { anyOrigin, correlationId } from '#surfaces/http/api-request.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'
import {
  getOrderEndpoint,
  getSession,
  postCancel,
  postComplete,
  postSession,
  postSessionUpdate,
} from './checkout-endpoints.ts'
import { dialectOf } from './dialect.ts'
import { getAgentCard, getAgentDiscovery, getRootDiscovery } from './discovery.ts'
import { toAcpFault } from './fault-table.ts'
import { getFeed, getProducts } from './product-endpoints.ts'
import { getReceipt } from './receipt-page.ts'
import { getReturned } from './returned-page.ts'

type Http = HonoContext<HttpEnvironment>

const exposedHeaders = [
  'Request-Id',
  'Idempotency-Key',
  'Idempotent-Replayed',
  'Retry-After',
  'ETag',
  'Link',
]

/** The agentic commerce surface, mounted at the service's root for its well-known path. */
export function acpSurface(ctx: Context): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.route('/acp', mounted(ctx))
  app.route('/.well-known/acp.json', wellKnown(ctx))
  return app
}

function mounted(ctx: Context): Hono<HttpEnvironment> {
  const app = surface(ctx)
  // Without an agent in the path the key says which; no app_name_id can look like these. Some
  // clients put a version segment before every path of theirs.
  for (const place of ['', '/v1', '/:appId', '/:appId/v1']) checkoutRoutes(ctx, app, place)
  publicRoutes(ctx, app)
  // Hono leaves what no route takes to the app that this one is mounted in.
  app.all('/*', () => {
    throw new Fault(requestFaults.unknown_path)
  })
  return app
}

function checkoutRoutes(ctx: Context, app: Hono<HttpEnvironment>, place: string): void {
  const sessions = `${place}/checkout_sessions`
  app.post(sessions, (c) => postSession(ctx, c))
  app.get(`${sessions}/:id`, (c) => getSession(ctx, c))
  app.post(`${sessions}/:id`, (c) => postSessionUpdate(ctx, c))
  app.post(`${sessions}/:id/complete`, (c) => postComplete(ctx, c))
  app.post(`${sessions}/:id/cancel`, (c) => postCancel(ctx, c))
  app.get(`${place}/orders/:id`, (c) => getOrderEndpoint(ctx, c))
  refuseOthers(app, sessions, 'POST')
  refuseOthers(app, `${sessions}/:id`, 'GET, HEAD, POST')
  refuseOthers(app, `${sessions}/:id/complete`, 'POST')
  refuseOthers(app, `${sessions}/:id/cancel`, 'POST')
  refuseOthers(app, `${place}/orders/:id`, 'GET, HEAD')
}

function publicRoutes(ctx: Context, app: Hono<HttpEnvironment>): void {
  const routes = {
    '/:appId/.well-known/agent.json': getAgentCard,
    '/:appId/.well-known/acp.json': getAgentDiscovery,
    '/:appId/products': getProducts,
    '/:appId/feed': getFeed,
    '/:appId/receipts/:key': getReceipt,
  } as const
  // No app_name_id can look like this.
  app.get('/returned', (c) => getReturned(ctx, c))
  refuseOthers(app, '/returned', 'GET, HEAD')
  for (const [path, answer] of Object.entries(routes)) {
    app.get(path, (c) => answer(ctx, c))
    refuseOthers(app, path, 'GET, HEAD')
  }
}

function wellKnown(ctx: Context): Hono<HttpEnvironment> {
  const app = surface(ctx)
  app.get('/', (c) => getRootDiscovery(ctx, c))
  refuseOthers(app, '/', 'GET, HEAD')
  return app
}

/** Reached only by methods that no route before it takes. */
function refuseOthers(app: Hono<HttpEnvironment>, path: string, allowed: string): void {
  app.all(path, (c) => {
    c.header('Allow', allowed)
    throw new Fault(requestFaults.method_not_allowed)
  })
}

/** What every answer has: the request's own ids again, and refusals in the caller's dialect. */
function surface(ctx: Context): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.use(async (c, next) => {
    const id = correlationId(c.req.header('request-id'))
    c.set('requestId', id)
    c.header('Request-Id', id)
    const key = c.req.header('idempotency-key')
    if (key !== undefined && /^[\x20-\x7e]{1,255}$/.test(key)) c.header('Idempotency-Key', key)
    await next()
  })
  app.use(anyOrigin({ exposeHeaders: exposedHeaders }))
  app.onError((error, c) => answerFault(ctx, c, error))
  return app
}

function answerFault(ctx: Context, c: Http, error: unknown): Response {
  const isCancel = c.req.path.endsWith('/cancel')
  const fault = toAcpFault(error, dialectOf(c), isCancel)
  const requestId = c.get('requestId')
  if (fault.status >= 500) ctx.log.error({ err: error, requestId }, 'acp request failed')
  else ctx.log.debug({ err: error, requestId }, 'acp request refused')
  if (fault.retryAfterSeconds !== null) c.header('Retry-After', String(fault.retryAfterSeconds))
  if (fault.replayed) c.header('Idempotent-Replayed', 'true')
  // RFC 9110 §15.5.2 and §15.5.6: both statuses must bring these. What has ended allows nothing.
  if (fault.status === 401) c.header('WWW-Authenticate', 'Bearer')
  if (fault.status === 405 && !c.res.headers.has('allow')) c.header('Allow', '')
  c.header('Cache-Control', 'no-store')
  return c.body(JSON.stringify(fault.body), fault.status, { 'Content-Type': 'application/json' })
}
