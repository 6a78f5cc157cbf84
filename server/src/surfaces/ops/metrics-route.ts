import { createHash, timingSafeEqual } from 'node:crypto'
import { Hono } from 'hono'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'

export interface MetricsText {
  readonly contentType: string
  read(): Promise<string>
}

/** `/metrics` for a monitoring system. @param token null when the port itself is private */
export function metricsRoute(metrics: MetricsText, token: string | null): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.get('/metrics', async (c) => {
    const given = c.req.header('authorization') ?? ''
    if (token !== null && !isSame(given.replace(/^bearer +/i, ''), token))
      return c.json({ error: 'Unauthorized' }, 401, { 'www-authenticate': 'Bearer', ...fresh })
    return c.body(await metrics.read(), 200, { 'content-type': metrics.contentType, ...fresh })
  })
  return app
}

const fresh = { 'cache-control': 'no-store' }

function isSame(given: string, token: string): boolean {
  return timingSafeEqual(hash(given), hash(token))
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
