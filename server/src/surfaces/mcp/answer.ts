/** What precedes the body of an answer. */
export interface Head {
  readonly status: number
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * A complete body is a text, or bytes if it is long: a stream needs its own write, which costs a
 * sixth of all CPU time, and to encode a long text costs a third.
 */
export interface Answer {
  readonly head: Head
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
}

export function headOf({ status, headers }: Response): Head {
  return { status, headers: Object.fromEntries(headers) }
}
