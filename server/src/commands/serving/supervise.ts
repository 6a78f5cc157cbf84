import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from '#config'
import { createLogger } from '#platform/log.ts'
import type { Terminal } from '#commands/command.ts'
import { logCrash } from './log-crash.ts'
import { stopSignal } from './stop-signal.ts'
import { Supervisor } from './supervisor.ts'
import { collectFigures, isMeasured } from './worker-figures.ts'

/**
 * Runs `WORKERS` processes behind one port. This process accepts the connections and passes them on
 * in turn (decision 38); it serves nothing itself.
 */
export async function supervise(config: Config, terminal: Terminal): Promise<number> {
  const log = createLogger(config)
  logCrash(log)
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const port = config.port === 0 ? await freePort(config.host) : config.port
  const supervisor = new Supervisor(config.workers, port, terminal, log)
  void stopSignal(() => supervisor.kill()).then((signal) => supervisor.stop(signal))
  const closeMetrics = isMeasured(config) ? await serveMetrics(config, log) : null
  try {
    return await supervisor.run()
  } finally {
    closeMetrics?.()
  }
}

/** The figures of all workers: on `METRICS_PORT` here, and for a worker that answers `/metrics`. */
async function serveMetrics(config: Config, log: Logger): Promise<() => void> {
  const all = collectFigures()
  if (config.metricsPort === undefined) return () => undefined
  const { metricsText, openMetricsPort } = await import('./serve-metrics.ts')
  return await openMetricsPort(config, await metricsText(all), log)
}

/** A port that is free now. If the address cannot be listened on, the first worker explains why. */
async function freePort(host: string): Promise<number> {
  const server = createServer().listen({ host, port: 0 })
  try {
    await once(server, 'listening')
  } catch {
    return 0
  }
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
