import { Hono } from 'hono'
import type { Context } from '#platform/context.ts'
import { nameRequests } from '#surfaces/http/api-request.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { answerErrors, endRoutes } from '#surfaces/http/end-routes.ts'
import { requireOwnPage } from '#surfaces/http/same-origin.ts'
import { answerFile, createBuiltFiles } from '#surfaces/http/built-files.ts'
import { beginConfirming, confirm } from './confirmation.ts'
import { toDashboardFault } from './dashboard-faults.ts'
import { sendAuditLog, sendConversations } from './exports.ts'
import { answerDashboard, answerServiceWorker, startPath } from './pages.ts'
import { receiveFile } from './receive-file.ts'
import { runNamedOperation } from './run-named-operation.ts'
import { sendFile, showPdf } from './send-file.ts'
import { streamChat } from './stream-chat.ts'
import { whoIsHere } from './who-is-here.ts'

export { startPath }

export interface DashboardOptions {
  readonly version: string
  /** The folder of the build, which may not exist yet. */
  readonly folder: string
}

/** The dashboard: its pages and the endpoints that they call. Mounted at the service's root. */
export function dashboardSurface(ctx: Context, options: DashboardOptions): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.route('/api/dashboard', interfaceOfPages(ctx, options.version))
  const find = createBuiltFiles(options.folder)
  for (const path of pagePaths) app.get(path, (c) => answerDashboard(ctx, c, find))
  app.get('/service-worker.js', answerServiceWorker)
  app.get('/assets/:name', (c) => answerFile(c, find, `assets/${c.req.param('name')}`))
  return answerErrors(ctx, app, { name: 'dashboard', answer: answerFault })
}

/** The dashboard's addresses. Other paths belong to other surfaces or are unknown. */
const pagePaths = [
  '/',
  startPath,
  '/home',
  '/agents',
  '/agents/*',
  '/settings',
  '/settings/*',
] as const

function interfaceOfPages(ctx: Context, version: string): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.use(nameRequests({ from: 'x-correlation-id', to: ['X-Request-ID'] }))
  app.use(async (c, next) => {
    c.header('Cache-Control', 'no-store')
    c.header('X-Content-Type-Options', 'nosniff')
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') requireOwnPage(c, ctx.config)
    await next()
  })
  app.get('/me', (c) => whoIsHere(ctx, c, version))
  app.get('/audit-log', (c) => sendAuditLog(ctx, c))
  app.post('/confirmation/begin', (c) => beginConfirming(ctx, c))
  app.post('/confirmation', (c) => confirm(ctx, c))
  app.post('/operations/:name', (c) => runNamedOperation(ctx, c))
  app.post('/agents/:appId/chat', (c) => streamChat(ctx, c))
  app.post('/agents/:appId/files', (c) => receiveFile(ctx, c))
  app.get('/sources/:sourceId/file', (c) => sendFile(ctx, c))
  app.get('/sources/:sourceId/pdf', (c) => showPdf(ctx, c))
  app.get('/agents/:appId/conversations', (c) => sendConversations(ctx, c))
  return endRoutes(ctx, app, { name: 'dashboard', unknownPaths: '*', answer: answerFault })
}

function answerFault(c: Http, error: unknown): Response {
  const fault = toDashboardFault(error)
  return c.json({ error: { ...fault.error, request_id: c.get('requestId') } }, fault.status)
}
