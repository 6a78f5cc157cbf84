import { Hono } from 'hono'
import { iconSizes, isKnownDomain, visitorFaults } from '#features/visitors/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { anyOrigin, nameRequests } from '#surfaces/http/api-request.ts'
import { answerFile, createBuiltFiles, type FindBuild } from '#surfaces/http/built-files.ts'
import { endRoutes } from '#surfaces/http/end-routes.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { answerFont } from '#surfaces/http/page-font.ts'
import { limitDomainQuestions } from './acting-visitor.ts'
import { showCaptcha } from './captcha-page.ts'
import { listConversations, rate, readConversation } from './conversations.ts'
import { enterChatPage, leadToEnter } from './enter.ts'
import { showApp, showDrawnIcon, showIcon, showManifest } from './install.ts'
import { answerMessage } from './messages.ts'
import { fontAtDomain } from './page-paths.ts'
import { toPublicFault } from './public-faults.ts'
import { enterWidget, showFrame, showWidget } from './widget.ts'
import { answerPageFault, renew, showChatPage } from './visits.ts'

/** What the script of a page requests. */
const scriptPaths = [
  '/chat/:app/visit',
  '/chat/:app/messages',
  '/chat/:app/conversations',
  '/chat/:app/conversations/:id',
  '/chat/:app/ratings',
] as const
/** What the loader requests from the host's page. */
const widgetPaths = ['/chat/widget/:key', '/chat/widget/:key/visit'] as const

/**
 * What visitors open: the chat page of an agent. Mounted at the service's root.
 *
 * @param folder the dashboard's build, which contains the script of the page
 */
export function publicSurface(ctx: Context, folder: string): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  const find = createBuiltFiles(folder)
  for (const path of ['/chat/*', '/login/chat/*']) app.use(path, named)
  openToScripts(app, widgetPaths)
  app.get('/chat/widget/:key', (c) => showWidget(ctx, c))
  app.get('/chat/widget/:key/frame', (c) => showFrame(ctx, c, find))
  app.post('/chat/widget/:key/visit', (c) => enterWidget(ctx, c))
  app.get('/chat/:app', (c) => showChatPage(ctx, c, find))
  app.get('/chat/:app/enter', (c) => leadToEnter(ctx, c))
  app.get('/login/chat/:app', (c) => enterChatPage(ctx, c, find))
  installRoutes(ctx, app, '/chat/:app')
  scriptRoutes(ctx, app, find)
  app.get('/chat-captcha', (c) => showCaptcha(ctx, c, find))
  app.get('/chat-domains/ask', (c) => answerProxy(ctx, c))
  return endPublicRoutes(ctx, app, find, {
    pages: /\/chat(?:-captcha|\/(?:widget\/[^/]+\/frame|[^/]+(?:\/(?:enter|app))?))$/,
  })
}

/** What is served at the domain of a page: the page and what it needs, and nothing else. */
export function domainRoutes(ctx: Context, folder: string): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  const find = createBuiltFiles(folder)
  app.use('*', named)
  app.use('*', async (c, next) => {
    if (c.env.pageAtDomain === null) throw new Fault(visitorFaults.page_unknown)
    await next()
  })
  app.use('/chat/:app/*', async (c, next) => {
    if (c.req.param('app') !== c.env.pageAtDomain) throw new Fault(visitorFaults.page_unknown)
    await next()
  })
  app.get('/', (c) => showChatPage(ctx, c, find))
  installRoutes(ctx, app, '')
  app.get(fontAtDomain, answerFont)
  scriptRoutes(ctx, app, find)
  return endPublicRoutes(ctx, app, find, { pages: /^\/(?:app)?$/, unknownPaths: '*' })
}

const named = nameRequests<HttpEnvironment>({ from: 'x-correlation-id', to: ['X-Request-ID'] })

/**
 * The page has an opaque origin, so its own requests come from another one. They carry a token, never
 * a cookie. The page itself is not open to other origins.
 */
function openToScripts(app: Hono<HttpEnvironment>, paths: readonly string[]): void {
  for (const path of paths) {
    app.use(path, anyOrigin({ allowMethods: ['GET', 'POST'], exposeHeaders: ['Retry-After'] }))
    app.use(path, async (c, next) => {
      c.header('Cache-Control', 'no-store')
      c.header('X-Content-Type-Options', 'nosniff')
      await next()
    })
  }
}

function scriptRoutes(ctx: Context, app: Hono<HttpEnvironment>, find: FindBuild): void {
  openToScripts(app, scriptPaths)
  app.post('/chat/:app/visit', (c) => renew(ctx, c))
  app.post('/chat/:app/messages', (c) => answerMessage(ctx, c))
  app.get('/chat/:app/conversations', (c) => listConversations(ctx, c))
  app.get('/chat/:app/conversations/:id', (c) => readConversation(ctx, c))
  app.post('/chat/:app/ratings', (c) => rate(ctx, c))
  app.get('/chat-assets/:name', (c) => answerFile(c, find, `chat/${c.req.param('name')}`))
}

function installRoutes(ctx: Context, app: Hono<HttpEnvironment>, path: string): void {
  app.get(`${path}/app`, (c) => showApp(ctx, c))
  app.get(`${path}/app.webmanifest`, (c) => showManifest(ctx, c))
  app.get(`${path}/icon.svg`, (c) => showIcon(ctx, c))
  for (const size of iconSizes)
    app.get(`${path}/icon-${size}.png`, (c) => showDrawnIcon(ctx, c, size))
}

/** GET /chat-domains/ask: whether a reverse proxy may obtain a certificate for a domain. */
async function answerProxy(ctx: Context, c: Http): Promise<Response> {
  await limitDomainQuestions(ctx, c)
  c.header('Cache-Control', 'no-store')
  const isKnown = await isKnownDomain(ctx, c.req.query('domain') ?? '')
  return c.body(null, isKnown ? 200 : 404)
}

interface Ending {
  /** The paths that answer an error with a page. */
  readonly pages: RegExp
  readonly unknownPaths?: string
}

function endPublicRoutes(
  ctx: Context,
  app: Hono<HttpEnvironment>,
  find: FindBuild,
  { pages, ...more }: Ending,
): Hono<HttpEnvironment> {
  const answer = (c: Http, error: unknown): Response | Promise<Response> => {
    if (c.req.method === 'GET' && pages.test(c.req.path))
      return answerPageFault(ctx, c, find, error)
    const { status, code, facts } = toPublicFault(error)
    return c.json({ error: { code, ...facts } }, status)
  }
  return endRoutes(ctx, app, { name: 'public', refusals: 'info', answer, ...more })
}
