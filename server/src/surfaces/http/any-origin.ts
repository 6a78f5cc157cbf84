import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { HttpEnvironment } from './environment.ts'

export interface AnyOriginOptions {
  readonly allowMethods?: string[]
  readonly exposeHeaders: string[]
}

/** How long a browser may keep the answer to a preflight; it keeps none for longer than a day. */
const preflightSeconds = 86_400

/**
 * Opens a surface to the pages of every origin, without their cookies (Fetch standard, CORS protocol).
 *
 * `hono/cors` answers preflights; without allowHeaders it grants whatever a preflight lists. On other
 * answers it would set its headers on a Response made for them, which the real one is then merged into
 * as a stream: that costs more than storing the answer. Headers named before there is a Response cost
 * nothing.
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
