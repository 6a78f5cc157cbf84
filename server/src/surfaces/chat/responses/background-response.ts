import { setTimeout as delay } from 'node:timers/promises'
import {
  findProgress,
  findResponse,
  responseFaults,
  streamedPieces,
  type Place,
  type StoredResponse,
} from '#features/responses/index.ts'
import { isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { eventStream, type EventSink } from '#surfaces/http/event-stream.ts'
import { BackgroundItems } from './background-items.ts'
import { done, frameOf } from './response-frames.ts'
import type { StreamSlot } from './background-streams.ts'
import { mayBranch, responseShape, storedShape, type Event } from './response-shape.ts'

/** How often the rows of a response that runs are read, here or in another process. */
const pollMs = 300

/** A background response as it is now, with what it has streamed so far. */
export async function backgroundShape(ctx: Context, response: StoredResponse) {
  const items = new BackgroundItems()
  for await (const piece of streamedPieces(ctx, response.id)) items.add(piece)
  return { ...storedShape(response), output: items.output(response) }
}

/**
 * Streams a background response. Each stored piece is one event, so all streams of a response have the same
 * events with the same numbers.
 *
 * @param after the number of the last event that the caller has; -1 for none
 * @param slot ends with the stream
 */
export function streamBackground(
  ctx: Context,
  c: Http,
  place: Place,
  response: StoredResponse,
  { after, slot }: { readonly after: number; readonly slot: StreamSlot },
): Response {
  const { signal } = c.req.raw
  return eventStream(c, ctx, async (sink) => {
    const to = new Numbered(sink, after)
    try {
      await follow(ctx, place, response, to, signal)
    } catch (error) {
      // It was deleted while it was streamed.
      if (!isFault(error, responseFaults.response_unknown)) throw error
      await to.end()
    } finally {
      slot.end()
    }
  })
}

/** Numbers the events, and writes those that the caller has not received. */
class Numbered {
  readonly #sink: EventSink
  readonly #after: number
  #sequence = 0

  constructor(sink: EventSink, after: number) {
    this.#sink = sink
    this.#after = after
  }

  async write(events: readonly Event[]): Promise<void> {
    let frames = ''
    for (const [type, fields] of events) {
      if (this.#sequence > this.#after) frames += frameOf(type, this.#sequence, fields)
      this.#sequence += 1
    }
    if (frames !== '') await this.#sink.write(frames)
  }

  async end(): Promise<void> {
    await this.#sink.write(done)
  }
}

async function follow(
  ctx: Context,
  place: Place,
  first: StoredResponse,
  to: Numbered,
  signal: AbortSignal,
): Promise<void> {
  await to.write(beginning(first))
  const items = new BackgroundItems()
  let isBegun = false
  let last = -1
  for (;;) {
    // Before the pieces: at the end, all of them are stored.
    const progress = await findProgress(ctx, place, first.id)
    if (!isBegun && progress.isBegun) {
      const begun = { ...first, sessionId: progress.sessionId }
      await to.write([['response.in_progress', snapshot(begun, 'in_progress')]])
      isBegun = true
    }
    // What was stored since that read belongs after the event of the beginning.
    const pieces = isBegun ? streamedPieces(ctx, first.id, last) : []
    for await (const piece of pieces) {
      await to.write(items.add(piece))
      last = piece.n
    }
    if (progress.isEnded) {
      const response = await findResponse(ctx, place, first.id)
      await to.write([...items.end(response), await ending(ctx, response)])
      return await to.end()
    }
    // The caller has disconnected.
    if (signal.aborted) return
    await delay(pollMs, null, { signal, ref: false }).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
}

function beginning(response: StoredResponse): Event[] {
  const { response: shape } = snapshot(response, 'queued')
  // All streams of it begin with the same event, whether its turn has begun or not.
  const isUnplaced = mayBranch({ ...response, messageId: null })
  const queued = { response: isUnplaced ? { ...shape, conversation: null } : shape }
  return [
    ['response.created', queued],
    ['response.queued', queued],
  ]
}

/** The response before its first output, the same whenever it is read. */
function snapshot(
  { id, createdAt, request, sessionId }: StoredResponse,
  status: 'queued' | 'in_progress',
) {
  return { response: responseShape({ id, createdAt, request, sessionId, status, output: [] }) }
}

async function ending(ctx: Context, response: StoredResponse): Promise<Event> {
  const { status } = response
  // There is no event of its own for a cancelled response; its status says it.
  const type = status === 'cancelled' ? 'incomplete' : status
  return [`response.${type}`, { response: await backgroundShape(ctx, response) }]
}
