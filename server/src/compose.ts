import { Hono } from 'hono'
import type { Logger } from 'pino'
import type { Config } from '#config'
import { systemClock } from '#platform/clock.ts'
import type { Context } from '#platform/context.ts'
import { migrate, openDatabase, schemaStatus } from '#platform/db/open-database.ts'
import { documentationFiles } from '#platform/documentation.ts'
import { createLimits } from '#platform/limits/create-limits.ts'
import { createModels } from '#platform/models/create-models.ts'
import { openVault } from '#platform/open-vault.ts'
import { createOutbound } from '#platform/outbound-http/outbound.ts'
import { chatSurface } from '#surfaces/chat/index.ts'
import { docsSurface } from '#surfaces/docs/index.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { opsSurface, type Unready } from '#surfaces/ops/index.ts'

/** Everything that was opened, and the one way to close it. */
export interface Instance {
  readonly ctx: Context
  close(): Promise<void>
}

/**
 * Brings the database to the present schema and opens it, with everything that a verb needs.
 *
 * @throws SchemaError, SecretKeyError, and what the engine reports
 */
export async function openInstance(config: Config, log: Logger): Promise<Instance> {
  await migrate(config, log)
  const db = openDatabase(config, log)
  const outbound = createOutbound({ allowPrivate: config.outboundAllowPrivate })
  const models = createModels({ config, log, outbound })
  async function close(): Promise<void> {
    await Promise.all([models.close(), outbound.close()])
    await db.close()
  }
  try {
    const vault = await openVault(config, db)
    const limits = createLimits(db)
    return { ctx: { config, db, models, limits, clock: systemClock, vault, log }, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The surfaces, each at its mount. */
export function createApp(
  { ctx }: Instance,
  service: { readonly isStopping: () => boolean },
): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.route('/api/v1', chatSurface(ctx))
  app.route('/', opsSurface({ whyUnready: () => whyUnready(ctx, service.isStopping()) }))
  app.route('/', docsSurface(documentationFiles()))
  app.notFound((c) => c.json({ error: 'Not found' }, 404))
  app.onError((error, c) => {
    ctx.log.error({ err: error }, 'request failed')
    return c.json({ error: 'Internal Server Error' }, 500)
  })
  return app
}

async function whyUnready(
  { config, db, log }: Context,
  stopping: boolean,
): Promise<Unready | null> {
  if (stopping) return 'stopping'
  try {
    await db.ping()
  } catch (error) {
    log.warn({ err: error }, 'not ready: the database does not answer')
    return 'database'
  }
  try {
    const { pending } = await schemaStatus(config)
    return pending.length === 0 ? null : 'schema'
  } catch (error) {
    log.warn({ err: error }, 'not ready: the schema is not the one of this version')
    return 'schema'
  }
}
