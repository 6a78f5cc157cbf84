import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { Attributes, Tracer } from '#kernel/spans.ts'
import { keyValues, type OtlpExporter } from './otlp-exporter.ts'

/** Of opentelemetry-proto, trace.proto. */
const kinds = { internal: 1, server: 2 } as const
const statusError = 2

interface Context {
  readonly traceId: string
  readonly spanId: string
}

/** `traceparent` (W3C Trace Context, 3.2), of version 00. */
const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/

export class OtlpTracer implements Tracer {
  readonly #exporter: Pick<OtlpExporter, 'add'>
  readonly #current = new AsyncLocalStorage<Context>()

  constructor(exporter: Pick<OtlpExporter, 'add'>) {
    this.#exporter = exporter
  }

  /** The span to which the running code belongs. */
  get current(): Context | undefined {
    return this.#current.getStore()
  }

  async serve(
    request: Request,
    attributes: Attributes,
    code: () => Promise<Response>,
  ): Promise<Response> {
    const given = traceparent.exec(request.headers.get('traceparent') ?? '')
    const parent = given === null ? undefined : { traceId: given[1] ?? '', spanId: given[2] ?? '' }
    // Paths and queries may contain tokens.
    const about = { 'http.request.method': request.method, ...attributes }
    const name = `${request.method} ${attributes['parley.surface'] ?? ''}`
    return await this.#run({ name, kind: kinds.server, parent, about }, code, ({ status }) => ({
      attributes: { 'http.response.status_code': status },
      isFailed: status >= 500,
    }))
  }

  async span<T>(name: string, given: Attributes, code: () => Promise<T>): Promise<T> {
    const about = name === 'invoke_agent' ? { 'gen_ai.operation.name': name, ...given } : given
    return await this.#run({ name, kind: kinds.internal, parent: this.current, about }, code)
  }

  /** @param read what the result adds to the span */
  async measured<T>(
    name: string,
    about: Attributes,
    code: () => Promise<T>,
    read: (result: T) => Attributes,
  ): Promise<T> {
    const started = { name, kind: kinds.internal, parent: this.current, about }
    return await this.#run(started, code, (result) => ({
      attributes: read(result),
      isFailed: false,
    }))
  }

  async #run<T>(
    { name, kind, parent, about }: Started,
    code: () => Promise<T>,
    read: (result: T) => Ended = () => ({ attributes: {}, isFailed: false }),
  ): Promise<T> {
    const traceId = parent?.traceId ?? randomBytes(16).toString('hex')
    const spanId = randomBytes(8).toString('hex')
    const startTimeUnixNano = nowNano()
    const end = ({ attributes, isFailed }: Ended) =>
      this.#exporter.add({
        traceId,
        spanId,
        ...(parent !== undefined && { parentSpanId: parent.spanId }),
        name,
        kind,
        startTimeUnixNano,
        endTimeUnixNano: nowNano(),
        attributes: keyValues({ ...about, ...attributes }),
        status: isFailed ? { code: statusError } : {},
      })
    try {
      const result = await this.#current.run({ traceId, spanId }, code)
      end(read(result))
      return result
    } catch (error) {
      end({ attributes: { 'error.type': typeOf(error) }, isFailed: true })
      throw error
    }
  }
}

interface Started {
  readonly name: string
  readonly kind: number
  readonly parent: Context | undefined
  readonly about: Attributes
}

interface Ended {
  readonly attributes: Attributes
  readonly isFailed: boolean
}

/** The code of a fault or the name of an error: a message could contain content. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

function nowNano(): string {
  const ms = performance.timeOrigin + performance.now()
  return String(BigInt(Math.round(ms * 1000)) * 1000n)
}
