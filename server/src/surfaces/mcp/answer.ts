/** The status and headers of an answer that is known without the SDK. */
export interface KnownHead {
  readonly status: 200
  readonly headers: Record<string, string>
}

/** A complete body is text: a stream needs its own write, which costs a sixth of all CPU time. */
export interface Answer {
  readonly response: Response | KnownHead
  readonly body: string | ReadableStream<Uint8Array> | null
}
