import type { Context as HonoContext } from 'hono'
import type { Turn } from '#features/turns/index.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import {
  dataFrame,
  eventStream,
  heartbeatMs,
  type EventSink,
  type StreamContext,
} from '#surfaces/http/event-stream.ts'
import { chunkWriter, type ChunkWriter, type Completion } from './completion-shapes.ts'
import { toChatFault } from './fault-table.ts'

type Batches = AsyncIterator<readonly string[]>

/**
 * Streams an answer as OpenAI's chunks. A model that fails before its first word is answered as an
 * HTTP error, so the first batch is awaited before the headers go out, but no longer than a
 * heartbeat: proxies cut what stays silent.
 */
export async function streamAnswer(
  c: HonoContext<HttpEnvironment>,
  ctx: StreamContext,
  turn: Turn,
  completion: Completion,
  includeUsage: boolean,
): Promise<Response> {
  const batches = turn.events[Symbol.asyncIterator]()
  const first = batches.next()
  await within(heartbeatMs, first)
  const chunks = chunkWriter(completion, includeUsage)
  if (await failedBeforeFirstWord(first, turn)) await turn.done
  return eventStream(c, ctx, async (sink) => {
    try {
      await sink.write(dataFrame(chunks.role()))
      await writeBatches(sink, chunks, first, batches)
      const result = await turn.done
      const last = [
        chunks.finish(result),
        ...(includeUsage ? [chunks.usage(result)] : []),
        '[DONE]',
      ]
      await sink.write(last.map(dataFrame).join(''))
    } catch (error) {
      const about = { requestId: c.get('requestId'), sessionId: turn.sessionId }
      if (c.req.raw.signal.aborted) ctx.log.info(about, 'the caller hung up')
      else ctx.log.warn({ ...about, err: error }, 'a streamed answer was cut short')
      await sink.write(
        dataFrame(JSON.stringify({ error: { message: toChatFault(error).message } })),
      )
    }
  })
}

async function writeBatches(
  sink: EventSink,
  chunks: ChunkWriter,
  first: ReturnType<Batches['next']>,
  batches: Batches,
): Promise<void> {
  for (let next = await first; next.done !== true; next = await batches.next()) {
    await sink.write(next.value.map((text) => dataFrame(chunks.text(text))).join(''))
  }
}

/** True when the events ended at once: then `done` tells why, or gives an answer without words. */
async function failedBeforeFirstWord(first: ReturnType<Batches['next']>, turn: Turn) {
  const pending = Symbol('pending')
  const state = await Promise.race([first, Promise.resolve(pending)])
  if (typeof state === 'symbol' || state.done !== true) return false
  return await turn.done.then(
    () => false,
    () => true,
  )
}

async function within(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  const { promise: elapsed, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  await Promise.race([promise, elapsed])
  clearTimeout(timer)
}
