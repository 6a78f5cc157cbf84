import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '#config'
import type { Finding } from './doctor-finding.ts'
import { Interval } from '#commands/serving/figures-page.ts'
import { explainServing } from './serving-rules.ts'

const timeoutMs = 10_000

/** What is slow in the service that runs with this configuration, watched for some seconds. */
export async function checkServing(config: Config, seconds: number): Promise<readonly Finding[]> {
  const check = 'service'
  try {
    const earlier = await readMetrics(config)
    if (earlier === null)
      return [{ check, ok: false, note: 'reports no metrics', fix: howToReport }]
    await sleep(seconds * 1000)
    const later = (await readMetrics(config)) ?? earlier
    const of = new Interval(earlier, later, seconds)
    const processes = of.now('parley_processes')
    const counted = processes === 1 ? 'one process' : `${processes} processes`
    const note = `${counted}, watched for ${seconds} s`
    return [{ check, ok: true, note }, ...explainServing(of)]
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const reason = cause instanceof Error ? cause.message : String(cause)
    const note = `does not report its metrics at ${metricsAddress(config)} (${reason})`
    const fix = 'start the service, and run this command with its settings'
    return [{ check, ok: false, note, fix }]
  }
}

const howToReport = 'set METRICS_PORT or METRICS_TOKEN, here and for the service'

/** The page of the running service; null if the configuration has none. */
export async function readMetrics(config: Config): Promise<string | null> {
  if (config.metricsPort === undefined && config.metricsToken === undefined) return null
  const headers = { authorization: `Bearer ${config.metricsToken ?? ''}` }
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(metricsAddress(config), { headers, signal })
  if (!response.ok) throw new Error(`status ${response.status}`)
  return await response.text()
}

function metricsAddress({ host, port, metricsPort }: Config): string {
  const own = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${own.includes(':') ? `[${own}]` : own}:${metricsPort ?? port}/metrics`
}
