import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { HttpEnvironment } from './environment.ts'

export interface AnyOriginOptions {
  readonly allowMethods?: string[]
  readonly exposeHeaders: string[]
}

/** How long a browser may cache a preflight answer; browsers cap it at a day or less. */
const preflightSeconds = 86_400

/**
 * Opens a surface to pages of every origin, without cookies (Fetch standard, CORS protocol).
 * `hono/cors` answers preflights; without allowHeaders it grants whatever headers a preflight asks
 * for. On other answers it would set headers on a Response of its own, into which Hono merges the
 * real one as a stream: that costs more than storing the answer. Headers set before there is a
 * Response cost nothing.
 */
export function anyOrigin(options: AnyOriginOptions): MiddlewareHandler<HttpEnvironment> {
  const preflight = cors({ origin: '*', maxAge: preflightSeconds, ...options })
  const exposed = options.exposeHeaders.join(',')
  return async (c, next) => {
    if (c.req.method === 'OPTIONS') return await preflight(c, next)
    c.header('Access-Control-Allow-Origin', '*')
    c.header('Access-Control-Expose-Headers', exposed)
    return await next()
  }
}
