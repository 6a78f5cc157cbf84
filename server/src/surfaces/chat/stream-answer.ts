import type { Turn, TurnResult } from '#features/turns/index.ts'
import type { Context } from '#platform/context.ts'
import type { CallPiece } from '#platform/models/model.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { eventStream, heartbeatMs, type EventSink } from '#surfaces/http/event-stream.ts'

/** Sets the header that names the model of an answer, for an agent with several. */
export function nameModel(turn: Turn, set: (name: string, model: string) => unknown): void {
  const model = turn.answeredBy()
  if (model !== null) set('X-Model', model)
}

/** Writes the events of one streamed answer. */
export interface FrameWriter {
  /**
   * What precedes the first text.
   *
   * @param isText false when the answer begins with something else: calls of the caller's tools, a refusal
   */
  begin(isText: boolean): string
  texts(texts: readonly string[]): string
  refusal(texts: readonly string[]): string
  /** Calls of the caller's tools as the model writes them; `end` writes what is left of them. */
  calls(pieces: readonly CallPiece[]): string
  /** Writes the model's reasoning; without it, the reasoning is not passed on. */
  reasoning?(texts: readonly string[]): string
  end(result: TurnResult): string
  /** The end of an answer that failed after its first event. */
  failed(error: unknown): string
}

/**
 * Streams an answer. If the model fails before its first word, the answer is an
 * HTTP error. So the headers wait for the first text, but no longer than one heartbeat: proxies close
 * silent connections.
 */
export async function streamAnswer(
  ctx: Context,
  c: Http,
  turn: Turn,
  frames: FrameWriter,
  headers?: Record<string, string>,
): Promise<Response> {
  const begun = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<EventSink>()
  let sink: EventSink | null = null
  let hasText = false
  let isText: boolean | null = null
  let hasFailed = false
  // Frames are written in the order of their numbers, so none is created before the first.
  const write: Write = (frame, begins = true) => {
    if (sink !== null) return sink.write(frame())
    if (!begins) isText ??= false
    begun.resolve()
    hasText = true
    return Promise.all([opened.promise, turn.stored]).then(([open]) => open.write(frame()))
  }
  const answer = turn.answer(...listenersOf(frames, write))
  answer
    .then(
      ({ text, toolCalls }) => (isText ??= text !== '' || toolCalls.length === 0),
      () => (hasFailed = true),
    )
    .finally(begun.resolve)
  await within(heartbeatMs, begun.promise)
  // A successful answer may be empty.
  if (hasFailed && !hasText) await answer
  await turn.stored
  // A slow model may still be replaced by another one.
  if (hasText || isText !== null)
    nameModel(turn, (name, model) => (headers ? (headers[name] = model) : c.header(name, model)))
  const produce = async (open: EventSink) => {
    try {
      await open.write(frames.begin(isText ?? true))
      sink = open
      opened.resolve(open)
      await open.write(frames.end(await answer))
    } catch (error) {
      noteFailure(ctx, c, turn, error)
      await open.write(frames.failed(error))
    }
  }
  return eventStream(c, ctx, produce, headers)
}

/** @param begins whether an answer that begins with the frame begins with text */
type Write = (frame: () => string, begins?: boolean) => void | Promise<void>

function listenersOf(frames: FrameWriter, write: Write): Parameters<Turn['answer']> {
  const think = frames.reasoning?.bind(frames)
  return [
    (texts, isRefusal) =>
      isRefusal ? write(() => frames.refusal(texts), false) : write(() => frames.texts(texts)),
    {
      reasoning: think && ((texts) => write(() => think(texts))),
      calls: (pieces) => write(() => frames.calls(pieces), false),
    },
  ]
}

function noteFailure({ log }: Context, c: Http, { sessionId }: Turn, error: unknown): void {
  const about = { requestId: c.get('requestId'), sessionId }
  if (c.req.raw.signal.aborted) log.info(about, 'the client disconnected')
  else log.warn({ ...about, err: error }, 'a streamed answer failed')
}

/** Waits for a promise that never rejects, up to a time. */
async function within(milliseconds: number, promise: Promise<void>): Promise<void> {
  const { promise: elapsed, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  await Promise.race([promise, elapsed])
  clearTimeout(timer)
}
