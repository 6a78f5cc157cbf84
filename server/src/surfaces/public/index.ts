import { Hono } from 'hono'
import type { Context } from '#platform/context.ts'
import { anyOrigin, nameRequests } from '#surfaces/http/api-request.ts'
import { answerFile, createBuiltFiles } from '#surfaces/http/built-files.ts'
import { endRoutes } from '#surfaces/http/end-routes.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { listConversations, rate, readConversation } from './conversations.ts'
import { answerMessage } from './messages.ts'
import { toPublicFault } from './public-faults.ts'
import { enterWidget, showFrame, showWidget } from './widget.ts'
import { answerPageFault, enterChatPage, renew, showChatPage } from './visits.ts'

/** What the script of a page requests. */
const scriptPaths = [
  '/chat/:app/visit',
  '/chat/:app/messages',
  '/chat/:app/conversations',
  '/chat/:app/conversations/:id',
  '/chat/:app/ratings',
  // What the loader requests from the host's page.
  '/chat/widget/:key',
  '/chat/widget/:key/visit',
] as const

/**
 * What visitors open: the chat page of an agent. Mounted at the service's root.
 *
 * @param folder the dashboard's build, which contains the script of the page
 */
export function publicSurface(ctx: Context, folder: string): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  const find = createBuiltFiles(folder)
  app.use('/chat/*', nameRequests({ from: 'x-correlation-id', to: ['X-Request-ID'] }))
  for (const path of scriptPaths) {
    // The page has an opaque origin, so its own requests come from another one. They carry a token,
    // never a cookie. The page itself is not open to other origins.
    app.use(path, anyOrigin({ allowMethods: ['GET', 'POST'], exposeHeaders: ['Retry-After'] }))
    app.use(path, async (c, next) => {
      c.header('Cache-Control', 'no-store')
      c.header('X-Content-Type-Options', 'nosniff')
      await next()
    })
  }
  app.get('/chat/widget/:key', (c) => showWidget(ctx, c))
  app.get('/chat/widget/:key/frame', (c) => showFrame(ctx, c, find))
  app.post('/chat/widget/:key/visit', (c) => enterWidget(ctx, c))
  app.get('/chat/:app', (c) => showChatPage(ctx, c, find))
  app.get('/chat/:app/enter', (c) => enterChatPage(ctx, c))
  app.post('/chat/:app/visit', (c) => renew(ctx, c))
  app.post('/chat/:app/messages', (c) => answerMessage(ctx, c))
  app.get('/chat/:app/conversations', (c) => listConversations(ctx, c))
  app.get('/chat/:app/conversations/:id', (c) => readConversation(ctx, c))
  app.post('/chat/:app/ratings', (c) => rate(ctx, c))
  app.get('/chat-assets/:name', (c) => answerFile(c, find, `chat/${c.req.param('name')}`))
  const answer = (c: Http, error: unknown) => answerFault(ctx, c, error)
  return endRoutes(ctx, app, { name: 'public', refusals: 'info', answer })

  function answerFault(of: Context, c: Http, error: unknown): Response | Promise<Response> {
    const isPage =
      c.req.method === 'GET' &&
      /\/chat\/(?:widget\/[^/]+\/frame|[^/]+(?:\/enter)?)$/.test(c.req.path)
    if (isPage) return answerPageFault(of, c, find, error)
    const { status, code, facts } = toPublicFault(error)
    return c.json({ error: { code, ...facts } }, status)
  }
}
