import type { Config } from '#config'

type TelemetryConfig = Pick<
  Config,
  'otelExporterOtlpEndpoint' | 'otelExporterOtlpHeaders' | 'otelServiceName'
>

/** A value of OTLP's JSON format (opentelemetry-proto, common.proto). */
export type AnyValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }

export interface KeyValue {
  readonly key: string
  readonly value: AnyValue
}

export function keyValues(of: Readonly<Record<string, unknown>>): KeyValue[] {
  return Object.entries(of).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [{ key, value: anyValue(value) }],
  )
}

function anyValue(value: unknown): AnyValue {
  if (typeof value === 'boolean') return { boolValue: value }
  if (Number.isSafeInteger(value)) return { intValue: String(value) }
  if (typeof value === 'number') return { doubleValue: value }
  return { stringValue: typeof value === 'string' ? value : JSON.stringify(value) }
}

/** `name=value` pairs whose values are percent-encoded, as W3C Baggage has them. */
function headersOf(given: string | undefined): Record<string, string> {
  const pairs = (given ?? '').split(',').filter(Boolean)
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      const value = pair.slice(at + 1).trim()
      return [pair.slice(0, at).trim(), value.replace(/%20/g, ' ').replace(/%2c/gi, ',')]
    }),
  )
}

const flushEveryMs = 2_000
const mostPerRequest = 512
/** While the collector does not answer, older items are dropped. */
const mostWaiting = 4_096
const timeoutMs = 10_000

/** Sends spans or log records to a collector in batches, by OTLP over HTTP in JSON. */
export class OtlpExporter {
  readonly #signal: 'traces' | 'logs'
  readonly #config: TelemetryConfig
  readonly #resource: readonly KeyValue[]
  readonly #timer: NodeJS.Timeout
  #waiting: unknown[] = []
  #sending: Promise<void> = Promise.resolve()
  #hasFailed = false
  /** Reports a failure once, until it works again. */
  onFailure: (reason: string) => void = () => undefined

  constructor(signal: 'traces' | 'logs', config: TelemetryConfig, version: string) {
    this.#signal = signal
    this.#config = config
    this.#resource = keyValues({
      'service.name': config.otelServiceName,
      'service.version': version,
      'process.pid': process.pid,
    })
    this.#timer = setInterval(() => void this.flush(), flushEveryMs)
    this.#timer.unref()
  }

  add(item: unknown): void {
    this.#waiting.push(item)
    if (this.#waiting.length > mostWaiting) this.#waiting.splice(0, mostPerRequest)
    if (this.#waiting.length === mostPerRequest) void this.flush()
  }

  /** Sends what waits. Never rejects. */
  async flush(): Promise<void> {
    this.#sending = this.#sendAll(this.#sending)
    await this.#sending
  }

  async #sendAll(before: Promise<void>): Promise<void> {
    await before
    while (this.#waiting.length > 0) await this.#send(this.#waiting.splice(0, mostPerRequest))
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  async #send(items: readonly unknown[]): Promise<void> {
    const { otelExporterOtlpEndpoint: endpoint, otelExporterOtlpHeaders: headers } = this.#config
    try {
      const response = await fetch(`${endpoint}/v1/${this.#signal}`, {
        method: 'POST',
        headers: { ...headersOf(headers), 'content-type': 'application/json' },
        body: JSON.stringify(this.#envelope(items)),
        signal: AbortSignal.timeout(timeoutMs),
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`status ${response.status}`)
      this.#hasFailed = false
    } catch (error) {
      if (!this.#hasFailed) this.onFailure(error instanceof Error ? error.message : String(error))
      this.#hasFailed = true
    }
  }

  #envelope(items: readonly unknown[]): object {
    const resource = { attributes: this.#resource }
    const scope = { name: 'parley' }
    return this.#signal === 'traces'
      ? { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: items }] }] }
      : { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: items }] }] }
  }
}
