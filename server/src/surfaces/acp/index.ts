import { Hono } from 'hono'
import type { Context } from '#platform/context.ts'
import { anyOrigin, nameRequests } from '#surfaces/http/api-request.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { endRoutes } from '#surfaces/http/end-routes.ts'
import { getReceipt, getReturned } from './buyer-pages.ts'
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

const exposedHeaders = [
  'Request-Id',
  'Idempotency-Key',
  'Idempotent-Replayed',
  'Retry-After',
  'ETag',
  'Link',
]

/** The agentic commerce surface. Mounted at the service's root because of its well-known path. */
export function acpSurface(ctx: Context): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.route('/acp', mounted(ctx))
  app.route('/.well-known/acp.json', wellKnown(ctx))
  return app
}

function mounted(ctx: Context): Hono<HttpEnvironment> {
  const app = surface()
  app.use(async (_, next) => {
    ctx.admission.admit('acp')
    await next()
  })
  // Without an agent in the path, the key names it; no app_name_id can look like these segments.
  // Some clients put a version before all their paths.
  for (const place of ['', '/v1', '/:appId', '/:appId/v1']) checkoutRoutes(ctx, app, place)
  publicRoutes(ctx, app)
  return endRoutes(ctx, app, { name: 'acp', unknownPaths: '/*', answer: answerFault })
}

function checkoutRoutes(ctx: Context, app: Hono<HttpEnvironment>, place: string): void {
  const sessions = `${place}/checkout_sessions`
  app.post(sessions, (c) => postSession(ctx, c))
  app.get(`${sessions}/:id`, (c) => getSession(ctx, c))
  app.post(`${sessions}/:id`, (c) => postSessionUpdate(ctx, c))
  app.post(`${sessions}/:id/complete`, (c) => postComplete(ctx, c))
  app.post(`${sessions}/:id/cancel`, (c) => postCancel(ctx, c))
  app.get(`${place}/orders/:id`, (c) => getOrderEndpoint(ctx, c))
}

function publicRoutes(ctx: Context, app: Hono<HttpEnvironment>): void {
  // No app_name_id can look like this.
  app.get('/returned', (c) => getReturned(ctx, c))
  app.get('/:appId/.well-known/agent.json', (c) => getAgentCard(ctx, c))
  app.get('/:appId/.well-known/acp.json', (c) => getAgentDiscovery(ctx, c))
  app.get('/:appId/products', (c) => getProducts(ctx, c))
  app.get('/:appId/feed', (c) => getFeed(ctx, c))
  app.get('/:appId/receipts/:key', (c) => getReceipt(ctx, c))
}

function wellKnown(ctx: Context): Hono<HttpEnvironment> {
  const app = surface()
  app.get('/', (c) => getRootDiscovery(ctx, c))
  return endRoutes(ctx, app, { name: 'acp', answer: answerFault })
}

/** Every answer repeats the ids of its request, and any origin may read it. */
function surface(): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.use(nameRequests({ from: 'request-id', to: ['Request-Id'] }))
  app.use(async (c, next) => {
    const key = c.req.header('idempotency-key')
    if (key !== undefined && /^[\x20-\x7e]{1,255}$/.test(key)) c.header('Idempotency-Key', key)
    await next()
  })
  app.use(anyOrigin({ exposeHeaders: exposedHeaders }))
  return app
}

function answerFault(c: Http, error: unknown): Response {
  const isCancel = c.req.path.endsWith('/cancel')
  const fault = toAcpFault(error, dialectOf(c), isCancel)
  if (fault.replayed) c.header('Idempotent-Replayed', 'true')
  // RFC 9110 §15.5.2 and §15.5.6: both statuses require these headers. A session that has ended
  // allows no method.
  if (fault.status === 401) c.header('WWW-Authenticate', 'Bearer')
  if (fault.status === 405 && !c.res.headers.has('allow')) c.header('Allow', '')
  c.header('Cache-Control', 'no-store')
  return c.body(JSON.stringify(fault.body), fault.status, { 'Content-Type': 'application/json' })
}
