import { Hono } from 'hono'
import type { Context } from '#platform/context.ts'
import { anyOrigin } from '#surfaces/http/api-request.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { answerPage } from '#surfaces/http/page.ts'
import { endRoutes } from '#surfaces/http/end-routes.ts'
import { basePath } from '#surfaces/http/service-address.ts'
import { authorizeEndpoint } from './authorize.ts'
import { decideConsent, showConsent } from './consent.ts'
import { authorizationServerMetadata, protectedResourceMetadata } from './metadata.ts'
import { createFailureLimit } from './failure-limit.ts'
import { toOauthFault } from './oauth-faults.ts'
import { faultPage } from './oauth-page-faults.ts'
import { register } from './register.ts'
import { revoke, token } from './token.ts'

/** The authorization server. Mounted at the service's root. */
export function oauthSurface(ctx: Context): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.route('/', pages(ctx))
  app.route('/', endpoints(ctx))
  return app
}

/** Endpoints that a person opens in a browser; errors are pages. */
function pages(ctx: Context): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  // Some clients ignore the metadata and use the paths of MCP 2025-03-26 at the root.
  for (const path of ['/mcp/oauth/authorize', '/authorize']) {
    app.get(path, (c) => authorizeEndpoint(ctx, c))
  }
  app.get('/mcp/oauth/consent', (c) => showConsent(ctx, c))
  app.post('/mcp/oauth/consent', (c) => decideConsent(ctx, c))
  const answer = (c: Http, error: unknown) => answerFaultPage(ctx, c, error)
  return endRoutes(ctx, app, { name: 'oauth', answer })
}

/** Endpoints for applications, also in a browser: CORS without credentials, errors of RFC 6749. */
function endpoints(ctx: Context): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  const exposeHeaders = ['WWW-Authenticate', 'Retry-After']
  const openTo = (allowMethods: string[]) => anyOrigin({ allowMethods, exposeHeaders })
  const post = (paths: readonly string[], handler: (c: Http) => Promise<Response>) => {
    for (const path of paths) {
      app.use(path, openTo(['POST']))
      app.post(path, (c) => {
        c.header('Cache-Control', 'no-store') // RFC 6749 §5.1, both
        c.header('Pragma', 'no-cache')
        return handler(c)
      })
    }
  }
  // Successful token calls have no limit, however many clients share an address. Once the limit is
  // reached they are refused too: otherwise guessing could continue.
  const window = { limit: ctx.config.oauthFailedCallsLimit, windowSeconds: 60 }
  const limitFailures = createFailureLimit(ctx, window)
  post(['/mcp/oauth/token', '/token'], (c) => token(ctx, c, limitFailures))
  post(['/mcp/oauth/register', '/register'], (c) => register(ctx, c))
  post(['/mcp/oauth/revoke'], (c) => revoke(ctx, c))
  for (const [path, describe] of Object.entries(metadataPaths(basePath(ctx.config)))) {
    app.use(path, openTo(['GET', 'HEAD']))
    app.get(path, (c) => c.json(describe(ctx.config)))
  }
  // Otherwise the MCP surface, mounted below, would answer for unknown OAuth paths.
  return endRoutes(ctx, app, {
    name: 'oauth',
    unknownPaths: '/mcp/oauth/*',
    allowsOptions: true,
    answer: answerFault,
  })
}

/** Clients try the service's own root and before its path (RFC 8414 §3, RFC 9728 §3.1). */
function metadataPaths(path: string) {
  const server = '/.well-known/oauth-authorization-server'
  const resource = '/.well-known/oauth-protected-resource'
  return {
    [server]: authorizationServerMetadata,
    [`${server}${path}`]: authorizationServerMetadata,
    [resource]: protectedResourceMetadata,
    [`${resource}/mcp`]: protectedResourceMetadata,
    [`${resource}${path}`]: protectedResourceMetadata,
    [`${resource}${path}/mcp`]: protectedResourceMetadata,
  }
}

function answerFault(c: Http, error: unknown): Response {
  const fault = toOauthFault(error)
  c.header('Cache-Control', 'no-store')
  // RFC 6749 §5.2: the challenge has the scheme that the client used, which can only be Basic.
  if (fault.status === 401 && c.req.header('authorization') !== undefined)
    c.header('WWW-Authenticate', 'Basic realm="Parley"')
  return c.json({ error: fault.error, error_description: fault.message }, fault.status)
}

async function answerFaultPage({ config }: Context, c: Http, error: unknown): Promise<Response> {
  const { page, status } = faultPage(error)
  return await answerPage(c, config, page, status)
}
