import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Database } from '#platform/db/database.ts'
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
  readonly db: Pick<Database, 'answerInParts' | 'readsFlushed'>
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
  { log, config, db }: StreamContext,
  produce: (sink: EventSink) => Promise<void>,
  headers?: Readonly<Record<string, string>>,
): Response {
  const produceFlushed = (sink: EventSink) => db.answerInParts(() => produce(afterFlush(db, sink)))
  const { outgoing } = c.env ?? {}
  if (outgoing === undefined) return asReadableStream(c, log, produceFlushed, headers)
  const own = headers ?? Object.fromEntries(c.res.headers)
  outgoing.writeHead(200, { ...own, ...eventStreamHeaders })
  const sink = responseSink(outgoing, config.stalledReaderTimeoutMs)
  void runProducer(log, produceFlushed, sink, () => outgoing.end())
  return headers === undefined ? alreadySent() : untouchedMarker
}

/** Frames may contain what was read from the database, so they wait until that is on the disk. */
function afterFlush(db: StreamContext['db'], sink: EventSink): EventSink {
  return {
    write(frames) {
      const wait = db.readsFlushed()
      return wait === null ? sink.write(frames) : wait.then(() => sink.write(frames))
    },
  }
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
  const { to, send } = bodyOf(outgoing)
  return {
    beat() {
      if (!hasEnded(outgoing) && !to.writableNeedDrain) send(heartbeat)
    },
    write(frames) {
      if (frames === '' || hasEnded(outgoing) || send(frames)) return undefined
      return drained(outgoing, to, stalledMs)
    },
  }
}

/** The connection itself would accept more, and send it before the next response. */
function hasEnded({ writableEnded, destroyed }: ServerResponse): boolean {
  return writableEnded || destroyed
}

interface Body {
  readonly to: ServerResponse | Socket
  /** @returns false when `to` emits `drain` before it should get more */
  readonly send: (frames: string) => boolean
}

/**
 * Where the frames of a response are written: to its connection, as chunks of our own (RFC 9112
 * §7.1). Node's response queues the length, the frames and each line break for a later step, which
 * takes a third more time. It is used for HTTP/1.0, which has no chunks, and for a pipelined request,
 * which has no connection before the response to the one before it has ended.
 */
function bodyOf(outgoing: ServerResponse): Body {
  const { socket } = outgoing
  if (socket === null || !outgoing.chunkedEncoding)
    return { to: outgoing, send: (frames) => outgoing.write(frames) }
  let hasBegun = false
  const send = (frames: string) => {
    if (!hasBegun) {
      hasBegun = true
      sendWithNext(outgoing, socket)
    }
    const length = Buffer.byteLength(frames)
    const isAscii = length === frames.length
    return socket.write(`${length.toString(16)}\r\n${frames}\r\n`, isAscii ? 'latin1' : 'utf8')
  }
  return { to: socket, send }
}

/** Sends the headers in one packet with what is written in this step. */
function sendWithNext(outgoing: ServerResponse, socket: Socket): void {
  socket.cork()
  outgoing.flushHeaders()
  process.nextTick(() => socket.uncork())
}

/**
 * Resolves when the buffer is empty or the connection has ended. Node closes a connection that
 * accepts no data for `stalledMs`; a slow one continues.
 */
async function drained(
  outgoing: ServerResponse,
  to: ServerResponse | Socket,
  stalledMs: number,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  outgoing.setTimeout(stalledMs)
  // Not `once` of node:events, which rejects when the connection breaks.
  to.once('drain', resolve)
  outgoing.once('close', resolve)
  await promise
  to.off('drain', resolve)
  outgoing.off('close', resolve)
  outgoing.setTimeout(0)
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
