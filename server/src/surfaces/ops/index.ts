import { Hono } from 'hono'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'

export { metricsRoute, type MetricsText } from './metrics-route.ts'

/** Why the service cannot accept requests now. */
export type Unready = 'database' | 'disk' | 'schema' | 'stopping'

export interface Health {
  /** Null when requests can be served. */
  whyUnready(): Promise<Unready | null>
}

const meanings: Record<Unready, string> = {
  database: 'The database does not answer.',
  disk: 'The disk of the database is full.',
  schema: "The database's schema is not the one of this version.",
  stopping: 'The service is stopping.',
}

/** For supervisors and load balancers: is the process alive, and does it accept requests? */
export function opsSurface(health: Health): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.get('/healthz', (c) => c.json({ status: 'ok' }, 200, fresh))
  app.get('/readyz', async (c) => {
    const reason = await health.whyUnready()
    if (reason === null) return c.json({ status: 'ready' }, 200, fresh)
    return c.json({ status: 'unready', reason, message: meanings[reason] }, 503, fresh)
  })
  return app
}

const fresh = { 'cache-control': 'no-store' }
