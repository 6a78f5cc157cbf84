import { setTimeout as delay } from 'node:timers/promises'
import { createApp, openInstance, type Instance } from '#compose'
import { readConfig, type Config } from '#config'
import { setupAddress } from '#features/identity/index.ts'
import { recoverTurns, settleTurns } from '#features/turns/index.ts'
import { failInterruptedSources } from '#features/ingestion/index.ts'
import { schemaStatus } from '#platform/db/open-database.ts'
import { parleyVersion } from '#platform/documentation.ts'
import { createLogger } from '#platform/log.ts'
import type { Telemetry } from '#platform/telemetry/telemetry.ts'
import type { MetricsText } from '#surfaces/ops/index.ts'
import { banner } from './banner.ts'
import type { Terminal } from '#commands/command.ts'
import { wasWelcomed, welcomeOnce } from './demo-agent.ts'
import { checkDefaultModel } from '#commands/doctor/doctor-models.ts'
import { createHttpService, type HttpService } from './http-service.ts'
import { initialise } from './initialise.ts'
import { measure, metricsText, openMetricsPort } from './serve-metrics.ts'
import { logCrash } from './log-crash.ts'
import { explainFailures } from '#commands/explain-failure.ts'
import { stopSignal } from './stop-signal.ts'
import { isMeasured, reportFigures } from './worker-figures.ts'
import { stopMessage, workerRole, type WorkerRole } from './worker-role.ts'

/** Runs the service in this process: the only one, or a worker of `supervise`. */
export async function serve(config: Config, terminal: Terminal): Promise<number> {
  const role = workerRole()
  const http = createHttpService(config)
  try {
    // A first start listens first: a port in use must fail it before keys are created and printed
    // once. While a schema is migrated, the port is open and alive.
    if (opensPort(role) && !(await isCurrent(config))) await http.open()
    return await runOn(http, configAt(http.port, config, terminal), terminal, role)
  } finally {
    await http.stop(0)
    role?.leave()
  }
}

/** Later workers listen when they are ready, because a worker that listens gets requests. */
function opensPort(role: WorkerRole | null): boolean {
  return role?.opensPort !== false
}

/**
 * Whether this may be one of several processes, with nothing to migrate. Such a process listens when it
 * is ready: a load balancer repeats a connection that was refused, but not a request that got 503.
 */
async function isCurrent(config: Config): Promise<boolean> {
  // One process serves SQLite: no other could answer.
  if (config.databaseUrl === undefined || config.port === 0) return false
  const { current, pending } = await explainFailures(config, () => schemaStatus(config))
  return current > 0 && pending.length === 0
}

/** With `PORT=0`, the service's address is known only once it listens. */
function configAt(port: number, config: Config, { environment }: Terminal): Config {
  return port === config.port ? config : readConfig({ ...environment, PORT: String(port) })
}

async function runOn(
  http: HttpService,
  config: Config,
  terminal: Terminal,
  role: WorkerRole | null,
): Promise<number> {
  const stopRequested = role === null ? stopSignal() : role.stopRequested()
  const telemetry = await telemetryOf(config)
  const log = createLogger(config, undefined, telemetry?.addLine)
  telemetry?.reportFailuresTo(log)
  logCrash(log)
  const instance = await explainFailures(config, () => openInstance(config, log, telemetry))
  let metrics: Awaited<ReturnType<typeof startMetrics>> | null = null
  const housekeeping = setInterval(() => void failInterrupted(instance), housekeepingMs)
  const recovering = setInterval(() => void recover(instance), recoverEveryMs)
  try {
    if (opensPort(role) && !http.isOpen && !(await wasWelcomed(instance.ctx))) await http.open()
    if (isMeasured(config)) metrics = await startMetrics(instance, role)
    // The supervisor prints what the first worker reports, and nothing of its successors.
    const text = await explainFailures(config, () =>
      makeReady(http, instance, metrics?.text ?? null, opensPort(role)),
    )
    if (!http.isOpen) await http.open()
    if (role === null) terminal.stdout.write(text)
    else role.reportReady(text)
    returnMemory()
    const signal = await stopRequested
    log.info({ signal }, 'stopping')
    // A signal to one worker replaces it: the others serve, so no load balancer has to know.
    if (role === null || signal === stopMessage) await untilAvoided(http, config)
    await drain(http, instance)
    return 0
  } finally {
    clearInterval(housekeeping)
    clearInterval(recovering)
    metrics?.close()
    await instance.close()
    log.info('stopped')
    await telemetry?.close()
  }
}

/** Loads nothing of it unless there is a collector. */
async function telemetryOf(config: Config): Promise<Telemetry | null> {
  if (config.otelExporterOtlpEndpoint === undefined) return null
  return (await import('#platform/telemetry/telemetry.ts')).startTelemetry(config)
}

/** With workers, `METRICS_PORT` is the supervisor's. */
async function startMetrics({ ctx }: Instance, role: WorkerRole | null) {
  const own = await measure(ctx)
  const text = await metricsText(role === null ? async () => [await own()] : reportFigures(own))
  const close = role === null ? await openMetricsPort(ctx.config, text, ctx.log) : () => undefined
  return { text, close }
}

/**
 * Returns the memory that loading the code has left to the operating system (decision 11). Only
 * `npm start` lets a program collect garbage.
 */
function returnMemory(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

const housekeepingMs = 60_000

/** Cleans up after crashed processes, on this machine or another. */
async function failInterrupted({ ctx }: Instance): Promise<void> {
  try {
    const failed = await failInterruptedSources(ctx)
    if (failed > 0) ctx.log.warn({ sources: failed }, 'marked interrupted sources as failed')
  } catch (error) {
    ctx.log.error({ err: error }, 'housekeeping failed; retrying in a minute')
  }
}

/** How soon after the end of a process's leases its answers are in their sessions: one read if none is. */
const recoverEveryMs = 2_000

async function recover({ ctx }: Instance): Promise<void> {
  try {
    const answers = await recoverTurns(ctx)
    if (answers > 0) ctx.log.warn({ answers }, 'stored answers of a process that has ended')
  } catch (error) {
    ctx.log.warn({ err: error }, 'could not look for answers of processes that have ended')
  }
}

/** A load balancer sees at `/readyz` that this process stops, and sends its requests to others. */
async function untilAvoided(http: HttpService, { shutdownDrainSeconds }: Config): Promise<void> {
  if (shutdownDrainSeconds === 0) return
  http.announceStop()
  await delay(shutdownDrainSeconds * 1000)
}

/** @returns what to print */
async function makeReady(
  http: HttpService,
  instance: Instance,
  metrics: MetricsText | null,
  printsLink: boolean,
): Promise<string> {
  const { ctx } = instance
  await failInterrupted(instance)
  const { owner, setupToken } = await initialise(ctx, { printsLink })
  const welcome = await welcomeOnce(ctx, owner)
  http.serve(createApp(instance, { isStopping: () => http.stopping, metrics }), ctx.log)
  await instance.jobRunner.start()
  const { baseUrl } = ctx.config
  const seconds = performance.now() / 1000
  const warnings = checkDefaultModel(ctx.config).flatMap((finding) =>
    finding.ok ? [] : [`DEFAULT_MODEL is ${finding.note}: ${finding.fix}.`],
  )
  for (const warning of warnings) ctx.log.warn(warning)
  ctx.log.info({ port: http.port, host: ctx.config.host, engine: ctx.db.engine }, 'ready')
  const setupLink = setupToken === null ? null : setupAddress(ctx.config, setupToken)
  return banner({ version: parleyVersion(), baseUrl, seconds, setupLink, welcome, warnings })
}

/** How long storing the text of interrupted answers may take: one commit. */
const settleTimeoutMs = 5_000

async function drain(http: HttpService, { ctx }: Instance): Promise<void> {
  const cut = await http.stop(ctx.config.shutdownGraceSeconds * 1000)
  if (cut > 0)
    ctx.log.warn({ connections: cut }, 'closed connections that were open after the grace period')
  const settled = settleTurns().then(() => true)
  if (!(await Promise.race([settled, delay(settleTimeoutMs, false, { ref: false })])))
    ctx.log.error('some turns could not be stored before the shutdown')
}
