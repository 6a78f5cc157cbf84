import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Hono } from 'hono'
import type { Logger } from 'pino'
import type { Config } from '#config'
import { beginLog, createSealer, signedDatabase } from '#features/audit/index.ts'
import { runResponse } from '#features/responses/index.ts'
import { summarizeSession } from '#features/turns/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { inRequest } from '#kernel/spans.ts'
import { createAdmission } from '#platform/admission/create-admission.ts'
import { createBackups } from '#platform/backups/create-backups.ts'
import { createBilling } from '#platform/billing/stripe-billing.ts'
import { createBoundedWorkers } from '#platform/bounded-workers/create-bounded-workers.ts'
import type { Context } from '#platform/context.ts'
import { openDatabaseClock, type DatabaseClock } from '#platform/database-clock.ts'
import { fitPool } from './platform/db/postgres/fit-pool.ts'
import { migrate, openDatabase, servedSchema } from '#platform/db/open-database.ts'
import { isServable } from '#platform/db/plan-migrations.ts'
import { isFailedDisk } from './platform/db/postgres/postgres-errors.ts'
import { isFailedWrite } from './platform/db/sqlite/sqlite-errors.ts'
import { createDnsTexts } from '#platform/dns/dns-texts.ts'
import {
  createDocumentation,
  documentationFiles,
  documentationImages,
  parleyVersion,
} from '#platform/documentation.ts'
import { createImportSlots } from '#platform/fair-slots/create-import-slots.ts'
import { createUploadSlots } from '#platform/fair-slots/create-upload-slots.ts'
import { createModelSlots } from '#platform/fair-slots/create-model-slots.ts'
import { createVisitorSlots } from '#platform/fair-slots/create-visitor-slots.ts'
import { createJobs } from '#platform/jobs/create-jobs.ts'
import { createJobRunner, type JobRunner } from '#platform/jobs/job-runner.ts'
import { createLimits } from '#platform/limits/create-limits.ts'
import { createMail } from '#platform/mail/create-mail.ts'
import { surfaceOf, tallyRequest } from '#platform/metrics/tally-requests.ts'
import { createModels } from '#platform/providers/create-models.ts'
import type { Telemetry } from '#platform/telemetry/telemetry.ts'
import { createObjects } from '#platform/object-store/objects.ts'
import { openVault } from '#platform/open-vault.ts'
import { createOpenIdProvider } from '#platform/openid/create-openid-provider.ts'
import { createOutbound } from '#platform/outbound-http/outbound.ts'
import { ReadSchedule } from '#platform/outbound-http/read-schedule.ts'
import { createPayments } from '#platform/payments/create-payments.ts'
import { createRemoteTools } from '#platform/remote-tools/create-remote-tools.ts'
import { accountSurface } from '#surfaces/account/index.ts'
import { acpSurface } from '#surfaces/acp/index.ts'
import { chatSurface, completionsPath, completionsSurface } from '#surfaces/chat/index.ts'
import { dashboardSurface, startPath } from '#surfaces/dashboard/index.ts'
import { docsSurface } from '#surfaces/docs/index.ts'
import { hooksSurface } from '#surfaces/hooks/index.ts'
import { createNameCheck } from '#surfaces/http/api-request.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { notFound } from '#surfaces/http/not-found.ts'
import { basePath } from '#surfaces/http/service-address.ts'
import { mcpMessagesSurface, mcpSurface } from '#surfaces/mcp/index.ts'
import { oauthSurface } from '#surfaces/oauth/index.ts'
import { createDomainSurface, publicSurface } from '#surfaces/public/index.ts'
import { metricsRoute, opsSurface, type MetricsText, type Unready } from '#surfaces/ops/index.ts'
import { featureJobs } from './feature-jobs.ts'

/** All opened resources, and the function that closes them. */
export interface Instance {
  readonly ctx: Context
  /** Only the service starts it; a command leaves jobs to the service. */
  readonly jobRunner: JobRunner
  close(): Promise<void>
}

/** The ports whose use a trace shows, and what they need. */
function openPorts(config: Config, log: Logger, telemetry: Telemetry | null) {
  const db = openDatabase(config, log)
  const schedule = new ReadSchedule(config.streamReadIntervalMs)
  const outbound = createOutbound({ allowPrivate: config.outboundAllowPrivate, schedule })
  const models = createModels({ config, log, outbound, schedule })
  return {
    db: telemetry?.database(db) ?? db,
    outbound,
    models: telemetry?.models(models) ?? models,
  }
}

/** The ports that need only the configuration. */
function configuredPorts(config: Config, log: Logger) {
  return {
    admission: createAdmission(config, log),
    modelSlots: createModelSlots(config),
    visitorSlots: createVisitorSlots(config),
    importSlots: createImportSlots(config),
    uploadSlots: createUploadSlots(config),
    workers: createBoundedWorkers(config),
    backups: createBackups(config),
    objects: createObjects(config),
    payments: createPayments(config),
    billing: createBilling(config),
    openId: createOpenIdProvider(config),
    mail: createMail(config, log),
    dns: createDnsTexts(config),
    documentation: createDocumentation(),
  }
}

/**
 * Migrates and opens the database, and creates the ports that verbs need.
 *
 * @throws ServerError, SchemaError, SecretKeyError, and errors of the engine
 */
export async function openInstance(
  configured: Config,
  log: Logger,
  telemetry: Telemetry | null = null,
): Promise<Instance> {
  const config = await fitPool(configured, log)
  await migrate(config, log)
  const { db, outbound, models } = openPorts(config, log, telemetry)
  let clock: DatabaseClock | null = null
  let jobRunner: JobRunner | null = null
  let sealer: ReturnType<typeof createSealer> | null = null
  async function close(): Promise<void> {
    await jobRunner?.stop()
    await Promise.all([models.close(), outbound.close()])
    await sealer?.close()
    clock?.close()
    await db.close()
  }
  try {
    clock = await openDatabaseClock(db, log)
    const jobs = createJobs(clock)
    const vault = await openVault(config, db)
    await beginLog({ db, clock, vault })
    sealer = createSealer({ db, clock, vault, log })
    const ctx: Context = {
      ...configuredPorts(config, log),
      config,
      db: signedDatabase(db, vault, sealer.schedule),
      models,
      limits: createLimits(db, vault),
      jobs,
      outbound,
      remoteTools: createRemoteTools(outbound),
      clock,
      vault,
      log,
    }
    const answers = { ...runResponse, maxAtOnce: config.backgroundResponsesAtOnce }
    const summaries = { ...summarizeSession, maxAtOnce: config.summariesAtOnce }
    jobRunner = createJobRunner(ctx, jobs, [...featureJobs, answers, summaries])
    return { ctx, jobRunner, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface RunningService {
  isStopping(): boolean
  readonly metrics?: MetricsText | null
}

/**
 * The service under the path of `BASE_URL`, and at the root as well: a proxy may strip the path, and
 * clients look for metadata at the root (RFC 8414 §3).
 */
export function createApp({ ctx }: Instance, service: RunningService): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  const mounted = surfaces(ctx, service)
  const base = basePath(ctx.config)
  const basePaths = new Set(['', base])
  for (const path of basePaths) app.route(path || '/', mounted)
  // The route at the path has no slash at its end, and proxies often forward only what has one.
  if (base !== '')
    app.get(`${base}/`, (c) => c.redirect(base + startPath + new URL(c.req.url).search, 303))
  app.notFound(notFound(ctx.config))
  app.onError((error, c) => {
    ctx.log.error({ err: error }, 'request failed')
    return c.json({ error: 'Internal Server Error' }, 500)
  })
  const { fetch } = app
  const turns = completionsSurface(ctx, basePaths, fetch)
  const messages = mcpMessagesSurface(ctx, { version: parleyVersion() }, basePaths, fetch)
  const domains = createDomainSurface(ctx, dashboardBuild)
  const hasOtherName = createNameCheck(ctx.config)
  app.fetch = (request, ...rest) => {
    const isPost = request.method === 'POST'
    const isTurn = isPost && request.url.endsWith(completionsPath)
    const caller = { signal: () => request.signal, isBackground: false }
    const began = performance.now()
    const surface = isTurn ? 'chat' : surfaceOf(request.url, base)
    const answer = isTurn ? turns.fetch : isPost && surface === 'mcp' ? messages.fetch : fetch
    const atDomain = hasOtherName(request.url) ? domains.domainOf(request) : null
    const counted = async () => {
      const here = async () => await answer(request, ...rest)
      const there = atDomain === null ? here : () => domains.answer(atDomain, request, rest, here)
      const handle = () => inRequest(request, surface, there)
      const response = await ctx.admission.track(handle)
      tallyRequest(surface, response.status, performance.now() - began)
      return response
    }
    return ctx.db.forCaller(caller, () => ctx.db.answer(counted))
  }
  return app
}

/** The output of `tools/build-dashboard.mjs`. */
const dashboardBuild = join(import.meta.dirname, '../../dashboard/dist')

function surfaces(ctx: Context, service: RunningService): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.route('/api/v1', chatSurface(ctx))
  app.route('/', acpSurface(ctx))
  app.route('/', hooksSurface(ctx))
  app.route('/', oauthSurface(ctx))
  app.route('/', accountSurface(ctx))
  app.route('/mcp', mcpSurface(ctx, { version: parleyVersion() }))
  app.route('/', opsSurface({ whyUnready: () => whyUnready(ctx, service.isStopping()) }))
  const { metricsToken } = ctx.config
  if (service.metrics && metricsToken !== undefined)
    app.route('/', metricsRoute(service.metrics, metricsToken))
  app.route('/', publicSurface(ctx, dashboardBuild))
  app.route('/', docsSurface(ctx, documentationFiles(), documentationImages()))
  app.route('/', dashboardSurface(ctx, { version: parleyVersion(), folder: dashboardBuild }))
  return app
}

async function whyUnready(
  { config, db, log }: Context,
  stopping: boolean,
): Promise<Unready | null> {
  if (stopping) return 'stopping'
  try {
    const late = delay(config.readyTimeoutMs, null, { ref: false })
    const schema = await Promise.race([db.ping().then(() => servedSchema(db)), late])
    if (schema === null) throw new Fault(commonFaults.database_unavailable)
    if (!isServable(schema)) return 'schema'
    const isSqlite = db.engine === 'sqlite'
    return isSqlite && (await freeBytes(config.dataDir)) < config.minFreeDiskBytes ? 'disk' : null
  } catch (error) {
    const isSchema = error instanceof Error && error.name === 'SchemaError'
    log.warn({ err: error }, 'not ready')
    if (isSchema) return 'schema'
    const cause = error instanceof Fault ? error.cause : null
    return isFailedWrite(cause) || isFailedDisk(cause) ? 'disk' : 'database'
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
