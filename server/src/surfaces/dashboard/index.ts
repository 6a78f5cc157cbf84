import { Hono, type Context as HonoContext } from 'hono'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { correlationId } from '#surfaces/http/api-request.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'
import { createBuiltFiles } from './built-files.ts'
import { toDashboardFault } from './dashboard-faults.ts'
import { exportAuditLog } from './export-audit-log.ts'
import { sendConversations } from './export-conversations.ts'
import { answerDashboard, answerFile } from './pages.ts'
import { receiveFile } from './receive-file.ts'
import { requireOwnPage } from './require-own-page.ts'
import { runNamedOperation } from './run-named-operation.ts'
import { streamChat } from './stream-chat.ts'
import { whoIsHere } from './who-is-here.ts'

type Http = HonoContext<HttpEnvironment>

export interface DashboardOptions {
  readonly version: string
  /** Where the build is, or will be. */
  readonly folder: string
}

/** The dashboard: its pages and their interface. Mounted at the service's root. */
export function dashboardSurface(ctx: Context, options: DashboardOptions): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.route('/api/dashboard', interfaceOfPages(ctx, options.version))
  const find = createBuiltFiles(options.folder)
  for (const path of pagePaths) app.get(path, (c) => answerDashboard(ctx, c, find))
  app.get('/assets/:name', (c) => answerFile(c, find, `assets/${c.req.param('name')}`))
  app.onError((error, c) => answerFault(ctx, c, error))
  return app
}

/** The dashboard's addresses; others stay the surfaces' own, or are not found. */
const pagePaths = ['/', '/agents', '/agents/*', '/settings', '/settings/*'] as const

function interfaceOfPages(ctx: Context, version: string): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.use(async (c, next) => {
    const id = correlationId(c.req.header('x-correlation-id'))
    c.set('requestId', id)
    c.header('X-Request-ID', id)
    c.header('Cache-Control', 'no-store')
    c.header('X-Content-Type-Options', 'nosniff')
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') requireOwnPage(c, ctx.config)
    await next()
  })
  app.get('/me', (c) => whoIsHere(ctx, c, version))
  app.get('/audit-log', (c) => exportAuditLog(ctx, c))
  app.post('/operations/:name', (c) => runNamedOperation(ctx, c))
  app.post('/agents/:appId/chat', (c) => streamChat(ctx, c))
  app.post('/agents/:appId/files', (c) => receiveFile(ctx, c))
  app.get('/agents/:appId/conversations', (c) => sendConversations(ctx, c))
  for (const [path, allowed] of Object.entries(allowedMethods))
    app.all(path, (c) => {
      c.header('Allow', allowed)
      throw new Fault(requestFaults.method_not_allowed)
    })
  app.all('*', () => {
    throw new Fault(requestFaults.unknown_path)
  })
  app.onError((error, c) => answerFault(ctx, c, error))
  return app
}

/** Reached only by methods that no route above takes. */
const allowedMethods = {
  '/me': 'GET, HEAD',
  '/audit-log': 'GET, HEAD',
  '/operations/:name': 'POST',
  '/agents/:appId/chat': 'POST',
  '/agents/:appId/files': 'POST',
  '/agents/:appId/conversations': 'GET, HEAD',
} as const

function answerFault(ctx: Context, c: Http, error: unknown): Response {
  const fault = toDashboardFault(error)
  const requestId = c.get('requestId')
  const about = { requestId, status: fault.status }
  if (c.req.raw.signal.aborted) ctx.log.info(about, 'the dashboard hung up')
  else if (fault.status === 500) ctx.log.error({ ...about, err: error }, 'the dashboard failed')
  else ctx.log.debug({ ...about, err: error }, 'the dashboard was refused')
  if (fault.retryAfterSeconds !== undefined)
    c.header('Retry-After', String(fault.retryAfterSeconds))
  return c.json({ error: { ...fault.error, request_id: requestId } }, fault.status)
}
