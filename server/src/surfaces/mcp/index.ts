import { Hono, type Handler } from 'hono'
import { resourceMetadataAddress } from '#features/grants/index.ts'
import { commonFaults, Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { nameRequests, requestIdOf } from '#surfaces/http/api-request.ts'
import { answerErrors, endRoutes, setRetryAfter } from '#surfaces/http/end-routes.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { callTool } from './call-tool.ts'
import { createSenderCheck, isAllowedOrigin } from './check-sender.ts'
import type { McpEnvironment, McpHttp } from './environment.ts'
import { toMcpFault, type Challenge } from './fault-table.ts'
import { limitStranger, setStandingHeaders } from './allowance.ts'
import { postMessages } from './post-messages.ts'
import type { MakeServer, Protocol } from './protocol.ts'
import { recordRefusedRequest } from './record-refusal.ts'
import { ShortAnswers, type RunTool } from './short-answers.ts'

export type { MakeServer } from './protocol.ts'

export interface McpOptions {
  /** The version that the server reports. */
  readonly version: string
  /** Another server over the same transport and authorization, for conformance suites. */
  readonly makeServer?: MakeServer
}

/** The tool-protocol server, mounted at `/mcp`. */
export function mcpSurface(ctx: Context, options: McpOptions): Hono<McpEnvironment> {
  const app = new Hono<McpEnvironment>()
  // With and without a trailing slash, because people type both.
  const paths = ['/', '/:end{$}']
  // Before the middleware, because it sets its headers itself: see `receive`.
  const receiver = receive(ctx, options)
  for (const path of paths) app.post(path, receiver)
  const requireKnownSender = createSenderCheck(ctx.config)
  app.use(nameRequests({ from: 'x-correlation-id', to: ['X-Request-ID'] }))
  app.use(async (c, next) => {
    c.header('Cache-Control', 'no-store')
    requireKnownSender(c)
    for (const [name, value] of Object.entries(readingHeaders(ctx, c))) c.header(name, value)
    await next()
  })
  for (const path of paths) app.options(path, (c) => answerPreflight(ctx, c))
  // GET would open a stream and DELETE would end a session; this server is stateless and has
  // neither.
  return endRoutes(ctx, app, { ...errorsOf(ctx), unknownPaths: '/*' })
}

/**
 * The messages to `mcpSurface` alone: finding their route among all routes of the service takes
 * longer than checking their credential.
 *
 * @param basePaths where the service is mounted
 * @param other answers requests for other paths
 */
export function mcpMessagesSurface(
  ctx: Context,
  options: McpOptions,
  basePaths: Iterable<string>,
  other: Hono<HttpEnvironment>['fetch'],
): Hono<McpEnvironment> {
  const app = new Hono<McpEnvironment>()
  const receiver = receive(ctx, options)
  for (const base of basePaths) app.post(`${base}/mcp`, receiver)
  app.notFound((c) => other(c.req.raw, c.env))
  return answerErrors(ctx, app, errorsOf(ctx))
}

function errorsOf(ctx: Context) {
  return { name: 'mcp', answer: (c: McpHttp, error: unknown) => answerFault(ctx, c, error) }
}

/**
 * POST /mcp. Its headers are those of the surface's middleware, which it does not pass: headers that
 * are set on Hono's context become Headers, which take longer than checking the credential.
 */
function receive(ctx: Context, options: McpOptions): Handler<McpEnvironment> {
  const loadProtocol = protocolLoader(ctx, options)
  const requireKnownSender = createSenderCheck(ctx.config)
  return async (c) => {
    const id = requestIdOf(c.req.header('x-correlation-id'))
    c.set('requestId', id)
    const headers: Record<string, string> = { 'x-request-id': id, 'cache-control': 'no-store' }
    try {
      requireKnownSender(c)
      Object.assign(headers, readingHeaders(ctx, c))
      ctx.admission.admit('mcp')
      const { head, body } = await postMessages(ctx, c, headers, loadProtocol)
      return new Response(body, { status: head.status, headers: { ...headers, ...head.headers } })
    } catch (error) {
      for (const [name, value] of Object.entries(headers)) c.header(name, value)
      throw error
    }
  }
}

const allowedMethods = 'POST, OPTIONS'
const exposedHeaders =
  'WWW-Authenticate, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-ID'

function protocolLoader(ctx: Context, { version, makeServer }: McpOptions) {
  let loading: Promise<Protocol> | null = null
  return () => (loading ??= load())

  async function load(): Promise<Protocol> {
    const [{ createProtocol }, { createCatalogueServer }] = await Promise.all([
      import('./protocol.ts'),
      import('./catalogue-server.ts'),
    ])
    if (makeServer !== undefined) return createProtocol(makeServer, ctx.log, null)
    const runTool: RunTool = (caller, operation, input) => callTool(ctx, caller, operation, input)
    const makeCatalogue: MakeServer = (caller) => createCatalogueServer(ctx, version, caller)
    return createProtocol(makeCatalogue, ctx.log, new ShortAnswers(runTool))
  }
}

/** CORS for allowed origins; the token is in a header, so credentials (cookies) are not allowed. */
function readingHeaders({ config }: Context, c: McpHttp): Readonly<Record<string, string>> {
  const origin = c.req.header('origin')
  if (origin === undefined || !isAllowedOrigin(origin, config)) return {}
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposedHeaders,
    vary: 'Origin',
  }
}

async function answerPreflight(ctx: Context, c: McpHttp): Promise<Response> {
  await setStandingHeaders(ctx, c)
  const asked = c.req.header('access-control-request-headers')
  c.header('Access-Control-Allow-Methods', allowedMethods)
  if (asked !== undefined) c.header('Access-Control-Allow-Headers', asked)
  c.header('Access-Control-Max-Age', '86400')
  return c.body(null, 204)
}

async function answerFault(ctx: Context, c: McpHttp, thrown: unknown): Promise<Response> {
  // Neither counted nor recorded, which would be more work.
  const isShed = isFault(thrown, commonFaults.overloaded)
  const error = isShed ? thrown : await settleRefusal(ctx, c, thrown)
  const { status, code, message, challenge } = toMcpFault(error)
  setRetryAfter(c, error)
  if (challenge !== undefined) c.header('WWW-Authenticate', bearerChallenge(ctx, challenge))
  return c.json({ jsonrpc: '2.0', id: c.get('rpcId') ?? null, error: { code, message } }, status)
}

/**
 * Rate-limits and records requests that are refused before an operation runs.
 *
 * @returns the error to answer with: a stranger over their limit gets that one instead
 */
async function settleRefusal(ctx: Context, c: McpHttp, thrown: unknown): Promise<unknown> {
  try {
    const refused = await limitRefused(ctx, c, thrown)
    if (refused instanceof Fault) await recordRefusedRequest(ctx, c, refused)
    return refused
  } catch (error) {
    // Failing to record a refusal must not change the answer.
    ctx.log.error({ err: error, requestId: c.get('requestId') }, 'could not record a refusal')
    return thrown
  }
}

/**
 * Authenticated callers are already counted. Others count by address if their POST was refused; an
 * unavailable database is not a refusal.
 */
async function limitRefused(ctx: Context, c: McpHttp, thrown: unknown): Promise<unknown> {
  if (c.get('hasLimitHeaders')) return thrown
  const isRefused = thrown instanceof Fault && thrown.kind !== 'unavailable'
  const isStranger = isRefused && c.get('caller') === undefined
  if (!isStranger || c.req.method !== 'POST') {
    await setStandingHeaders(ctx, c)
    return thrown
  }
  try {
    await limitStranger(ctx, c)
    return thrown
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
}

/** RFC 6750 §3 with the parameter of RFC 9728 §5.1, which shows clients how to get a token. */
function bearerChallenge({ config }: Context, { error, description, scope }: Challenge): string {
  const parameters = {
    error,
    error_description: description,
    scope,
    resource_metadata: resourceMetadataAddress(config),
  }
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return `Bearer ${given.map(([name, value]) => `${name}="${value}"`).join(', ')}`
}
