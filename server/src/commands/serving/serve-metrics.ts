import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Config } from '#config'
import type { Context } from '#platform/context.ts'
import type { Figures } from '#platform/metrics/figures.ts'
import { metricsRoute, type MetricsText } from '#surfaces/ops/index.ts'
import { bind } from './http-service.ts'

type AllFigures = () => Promise<readonly (readonly Figures[])[]>

/** Starts to measure this process. */
export async function measure(ctx: Context): Promise<() => Promise<readonly Figures[]>> {
  return (await import('#platform/metrics/metrics.ts')).createMetrics(ctx)
}

export async function metricsText(all: AllFigures): Promise<MetricsText> {
  const { contentType, openMetrics } = await import('#platform/metrics/metrics.ts')
  return { contentType, read: async () => await openMetrics(await all()) }
}

/**
 * Serves `/metrics` on its own port, if there is to be one.
 *
 * @returns a function that closes the port
 * @throws CommandFailure if the port cannot be opened
 */
export async function openMetricsPort(
  { host, metricsPort }: Pick<Config, 'host' | 'metricsPort'>,
  text: MetricsText,
  log: Context['log'],
): Promise<() => void> {
  if (metricsPort === undefined) return () => undefined
  const answer = getRequestListener(metricsRoute(text, null).fetch)
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing))
  const port = await bind(server, { host, port: metricsPort })
  log.info({ port, host }, 'metrics are served')
  return () => {
    server.close()
    server.closeAllConnections()
  }
}
