import type { Context as HonoContext, Hono } from 'hono'
import { commonFaults, Fault, isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { HttpEnvironment } from './environment.ts'
import { requestFaults } from './request-faults.ts'

interface Errors<E extends HttpEnvironment> {
  /** The surface's name in the log. */
  readonly name: string
  /** The log level of refused requests; at `info` only the code of the error is logged. */
  readonly refusals?: 'debug' | 'info'
  readonly answer: (c: HonoContext<E>, error: unknown) => Response | Promise<Response>
}

interface Ending<E extends HttpEnvironment> extends Errors<E> {
  /** A pattern of the surface's own paths; those without a route get 404. */
  readonly unknownPaths?: string
  /** True if `Allow` lists OPTIONS. */
  readonly allowsOptions?: boolean
}

/**
 * Completes the routes of a surface; call it after the last route. Other methods on its paths get
 * 405 with `Allow`, its unknown paths get 404, and `answerErrors` handles its errors.
 */
export function endRoutes<E extends HttpEnvironment>(
  ctx: Pick<Context, 'log'>,
  app: Hono<E>,
  ending: Ending<E>,
): Hono<E> {
  for (const [path, allowed] of allowedMethods(app, ending.allowsOptions === true))
    app.all(path, (c) => {
      c.header('Allow', allowed)
      throw new Fault(requestFaults.method_not_allowed)
    })
  // Hono never calls `notFound` of a mounted app, so the last route replaces it.
  if (ending.unknownPaths !== undefined)
    app.all(ending.unknownPaths, () => {
      throw new Fault(requestFaults.unknown_path)
    })
  return answerErrors(ctx, app, ending)
}

/** Logs every error of a surface and answers it in the surface's own format. */
export function answerErrors<E extends HttpEnvironment>(
  { log }: Pick<Context, 'log'>,
  app: Hono<E>,
  errors: Errors<E>,
): Hono<E> {
  return app.onError(async (error, c) => {
    setRetryAfter(c, error)
    const response = await errors.answer(c, error)
    logError(log, c, error, { ...errors, status: response.status })
    return response
  })
}

/** The methods of each path with a route, as the `Allow` header lists them. */
function allowedMethods<E extends HttpEnvironment>(app: Hono<E>, allowsOptions: boolean) {
  const taken = new Map<string, Set<string>>()
  for (const { path, method } of app.routes)
    if (method !== 'ALL') taken.set(path, (taken.get(path) ?? new Set()).add(method))
  return [...taken].map(([path, methods]) => {
    // Hono answers HEAD with the route for GET.
    if (methods.has('GET')) methods.add('HEAD')
    if (allowsOptions) methods.add('OPTIONS')
    const order = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']
    return [path, order.filter((method) => methods.has(method)).join(', ')] as const
  })
}

/** Sets `Retry-After` if the fault has a time to wait. */
export function setRetryAfter<E extends HttpEnvironment>(c: HonoContext<E>, error: unknown): void {
  const seconds = error instanceof Fault ? error.facts.retryAfterSeconds : undefined
  if (seconds !== undefined) c.header('Retry-After', String(seconds))
}

function logError<E extends HttpEnvironment>(
  log: Context['log'],
  c: HonoContext<E>,
  error: unknown,
  { name, refusals = 'debug', status }: Errors<E> & { readonly status: number },
): void {
  const about = { requestId: c.get('requestId'), status }
  // One line reports all of them.
  if (isFault(error, commonFaults.overloaded)) return
  const isExpected = status < 500 || error instanceof Fault
  if (c.req.raw.signal.aborted && isExpected) log.info(about, `${name}: the client disconnected`)
  else if (status >= 500) log.error({ ...about, err: error }, `${name}: request failed`)
  else if (refusals === 'debug') log.debug({ ...about, err: error }, `${name}: request refused`)
  else {
    // Only the code: the message may repeat what the caller sent, at any length.
    const code = error instanceof Fault ? error.code : undefined
    log.info({ ...about, code }, `${name}: request refused`)
  }
}
