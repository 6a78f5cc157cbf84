import type { Logger } from 'pino'
import type { Config } from '#config'
import { setTracer } from '#kernel/spans.ts'
import type { Database } from '#platform/db/database.ts'
import type { Models } from '#platform/models/model.ts'
import { parleyVersion } from '#platform/documentation.ts'
import { keyValues, OtlpExporter } from './otlp-exporter.ts'
import { OtlpTracer } from './otlp-tracer.ts'
import { tracedDatabase, tracedModels } from './trace-ports.ts'

/** Traces and logs over OTLP, for a process whose configuration names a collector. */
export interface Telemetry {
  database(db: Database): Database
  models(models: Models): Models
  /** Exports a line of the log, whose secrets are masked already. */
  addLine(line: string): void
  reportFailuresTo(log: Pick<Logger, 'warn'>): void
  /** Sends what waits. */
  close(): Promise<void>
}

export function startTelemetry(config: Config): Telemetry {
  const traces = new OtlpExporter('traces', config, parleyVersion())
  const logs = new OtlpExporter('logs', config, parleyVersion())
  const tracer = new OtlpTracer(traces)
  const hasContent = config.otelInstrumentationGenaiCaptureMessageContent
  setTracer(tracer)
  return {
    database: (db) => tracedDatabase(db, tracer),
    models: (models) => tracedModels(models, tracer, hasContent),
    addLine: (line) => logs.add({ ...recordOf(line), ...tracer.current }),
    reportFailuresTo(log) {
      for (const exporter of [traces, logs])
        exporter.onFailure = (reason) => log.warn({ reason }, 'telemetry could not be exported')
    },
    async close() {
      setTracer(null)
      await Promise.all([traces.close(), logs.close()])
    },
  }
}

/** Of opentelemetry-proto, logs.proto. */
const severities: Readonly<Record<string, number>> = {
  trace: 1,
  debug: 5,
  info: 9,
  warn: 13,
  error: 17,
  fatal: 21,
}

function recordOf(line: string): object {
  const { level, time, msg, pid: _pid, ...facts }: Record<string, unknown> = JSON.parse(line)
  return {
    timeUnixNano: String(BigInt(Date.parse(String(time))) * 1_000_000n),
    severityText: level,
    severityNumber: severities[String(level)] ?? 0,
    body: { stringValue: String(msg ?? '') },
    attributes: keyValues(facts),
  }
}
