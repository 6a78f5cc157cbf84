/** Facts of a span. Never content or a secret. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** Creates spans of traces. A process has one only if its configuration asks for traces. */
export interface Tracer {
  /** A request from outside; its headers may continue a trace. */
  serve(request: Request, attributes: Attributes, code: () => Promise<Response>): Promise<Response>
  span<T>(name: string, attributes: Attributes, code: () => Promise<T>): Promise<T>
}

let tracer: Tracer | null = null

export function setTracer(given: Tracer | null): void {
  tracer = given
}

/** Runs code as a part of the trace to which the caller belongs. */
export function inSpan<T>(
  name: string,
  attributes: Attributes,
  code: () => Promise<T>,
): Promise<T> {
  return tracer === null ? code() : tracer.span(name, attributes, code)
}

/** Runs code that answers a request. */
export function inRequest(
  request: Request,
  surface: string,
  code: () => Promise<Response>,
): Promise<Response> {
  if (tracer === null) return code()
  return tracer.serve(request, { 'parley.surface': surface }, code)
}
