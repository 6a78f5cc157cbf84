import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Http } from './environment.ts'

/** The destination of a surface's server-sent events. */
export interface EventSink {
  /** Resolves when the client can accept more, so that a slow reader slows the producer. */
  write(frames: string): void | Promise<void>
}

interface BeatingSink extends EventSink {
  /** Keeps the stream alive for a client that reads it. */
  beat(): void
}

const eventStreamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies must neither buffer nor compress text that arrives word by word.
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

/** How often a comment shows proxies and clients that the stream is alive. */
export const heartbeatMs = 15_000
const heartbeat = ': keep-alive\n\n'

/** One `data:` frame. `json` must contain no line break, like the result of JSON.stringify. */
export function dataFrame(json: string): string {
  return `data: ${json}\n\n`
}

export interface StreamContext {
  readonly log: Logger
  readonly config: { readonly stalledReaderTimeoutMs: number }
}

/**
 * Answers with server-sent events that `produce` writes. A caller that reads nothing for too long is
 * cut off, which aborts the request as if the caller had disconnected.
 *
 * On the Node server the frames go straight to its response: through a ReadableStream a 40-chunk
 * answer costs twice the CPU, through Hono's `stream()` three times. Elsewhere (tests without a
 * port) a ReadableStream serves. A late error is logged: the status is long sent.
 *
 * The headers go out with the first frames, which `produce` must write at once: a write of their own
 * would cost as much as all frames of a short answer.
 *
 * @param headers all headers of the answer; those that are set on `c` by default. A surface whose
 *   middleware touches no answer passes them: creating Headers takes longer than authenticating.
 */
export function eventStream(
  c: Http,
  { log, config }: StreamContext,
  produce: (sink: EventSink) => Promise<void>,
  headers?: Readonly<Record<string, string>>,
): Response {
  const { outgoing } = c.env ?? {}
  if (outgoing === undefined) return asReadableStream(c, log, produce, headers)
  const own = headers ?? Object.fromEntries(c.res.headers)
  outgoing.writeHead(200, { ...own, ...eventStreamHeaders })
  const sink = responseSink(outgoing, config.stalledReaderTimeoutMs)
  void runProducer(log, produce, sink, () => outgoing.end())
  return headers === undefined ? alreadySent() : untouchedMarker
}

/**
 * Marks the response as already written for the Node adapter. Each call creates a new one:
 * middleware may set headers on it, and the exported RESPONSE_ALREADY_SENT is shared.
 */
function alreadySent(): Response {
  const marker = new Response(null, { headers: { 'x-hono-already-sent': 'true' } })
  // The adapter sends its lightweight Response without checking the headers. Reading `body` turns
  // it into an ordinary one.
  void marker.body
  return marker
}

/** The marker of answers that no middleware touches. */
const untouchedMarker = alreadySent()

async function runProducer(
  log: Logger,
  produce: (sink: EventSink) => Promise<void>,
  sink: BeatingSink,
  end: () => void,
): Promise<void> {
  const beat = setInterval(() => sink.beat(), heartbeatMs)
  beat.unref()
  try {
    await produce(sink)
  } catch (error) {
    log.error({ err: error }, 'an event stream failed')
  } finally {
    clearInterval(beat)
    end()
  }
}

function responseSink(outgoing: ServerResponse, stalledMs: number): BeatingSink {
  return {
    beat() {
      if (!outgoing.destroyed && !outgoing.writableNeedDrain) outgoing.write(heartbeat)
    },
    write(frames) {
      if (outgoing.destroyed || outgoing.write(frames)) return undefined
      return drained(outgoing, stalledMs)
    },
  }
}

/**
 * Resolves when the buffer is empty or the connection has ended. Node closes a connection that
 * accepts no data for `stalledMs`; a slow one continues.
 */
async function drained(outgoing: ServerResponse, stalledMs: number): Promise<void> {
  const done = new AbortController()
  const { signal } = done
  outgoing.setTimeout(stalledMs)
  await Promise.race([once(outgoing, 'drain', { signal }), once(outgoing, 'close', { signal })])
  outgoing.setTimeout(0)
  done.abort()
}

function asReadableStream(
  c: Http,
  log: Logger,
  produce: (sink: EventSink) => Promise<void>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  for (const [name, value] of Object.entries({ ...headers, ...eventStreamHeaders }))
    c.header(name, value)
  const encoder = new TextEncoder()
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const gone = (error: unknown) => log.debug({ err: error }, 'the reader of a stream disconnected')
  const write = (frames: string) => writer.write(encoder.encode(frames)).catch(gone)
  const sink: BeatingSink = { write, beat: () => void write(heartbeat) }
  void runProducer(log, produce, sink, () => void writer.close().catch(gone))
  return c.body(readable)
}
