import { setTimeout as delay } from 'node:timers/promises'
import {
  findProgress,
  findResponse,
  responseFaults,
  streamedTexts,
  type Place,
  type StoredResponse,
} from '#features/responses/index.ts'
import { isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { eventStream, type EventSink } from '#surfaces/http/event-stream.ts'
import {
  callEvents,
  done,
  frameOf,
  textBegins,
  textDelta,
  textEnds,
  type Event,
} from './response-frames.ts'
import { answerItem, outputText, responseShape, storedShape } from './response-shape.ts'

/** How often the rows of a response that runs are read, here or in another process. */
const pollMs = 300

/** A background response as it is now, with what it has streamed so far. */
export async function backgroundShape(ctx: Context, response: StoredResponse) {
  const whole = storedShape(response)
  // Until the response ends, its text is what it has streamed, even if its answer is already stored.
  const answer = isWhole(response) ? whole.output : []
  return { ...whole, output: [...(await cutMessages(ctx, response)), ...answer] }
}

/** Messages that are not the answer: those of runs that ended early, and the one being written. */
async function cutMessages(ctx: Context, response: StoredResponse): Promise<object[]> {
  const texts = new Map<string, string>()
  for await (const { messageId, text } of streamedTexts(ctx, response.id))
    texts.set(messageId, (texts.get(messageId) ?? '') + text)
  if (isWhole(response)) texts.delete(response.messageId ?? '')
  return [...texts].map(([messageId, text]) => {
    const isNow = response.status === 'in_progress' && messageId === response.messageId
    return cutItem(messageId, text, isNow ? 'in_progress' : 'incomplete')
  })
}

function cutItem(messageId: string, text: string, status: 'in_progress' | 'incomplete') {
  return answerItem(messageId, status, [outputText(text, [])])
}

/** Whether the model finished the answer, which is then stored. */
function isWhole({ status, answer }: StoredResponse): boolean {
  return answer !== null && (status === 'completed' || status === 'incomplete')
}

/**
 * Streams a background response. Each stored text is one event, so all streams of a response have the same
 * events with the same numbers.
 *
 * @param after the number of the last event that the caller has; -1 for none
 */
export function streamBackground(
  ctx: Context,
  c: Http,
  place: Place,
  response: StoredResponse,
  after: number,
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
  const messages = new Messages()
  let isBegun = false
  let last = -1
  for (;;) {
    // Before the texts: at the end, all of them are stored.
    const progress = await findProgress(ctx, place, first.id)
    if (!isBegun && progress.isBegun) {
      const begun = { ...first, sessionId: progress.sessionId }
      await to.write([['response.in_progress', snapshot(begun, 'in_progress')]])
      isBegun = true
    }
    // What was stored since that read belongs after the event of the beginning.
    const texts = isBegun ? streamedTexts(ctx, first.id, last) : []
    for await (const { n, messageId, text } of texts) {
      await to.write(messages.add(messageId, text))
      last = n
    }
    if (progress.isEnded) {
      const response = await findResponse(ctx, place, first.id)
      await to.write([...messages.end(response), await ending(ctx, response)])
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
  const queued = snapshot(response, 'queued')
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

/** The messages of a response while it is streamed: one for each run. */
class Messages {
  #messageId: string | null = null
  #said = ''
  #index = -1

  add(messageId: string, text: string): Event[] {
    const opening = messageId === this.#messageId ? [] : [...this.#cut(), ...this.#open(messageId)]
    this.#said += text
    return [...opening, textDelta(messageId, this.#index, text)]
  }

  /** The events after the last text, before that of the response itself. */
  end(response: StoredResponse): Event[] {
    const { answer } = response
    if (answer === null || !isWhole(response)) return this.#cut()
    const { messageId, text, citations, toolCalls } = answer
    const shown = storedShape(response).output
    const item = shown.find(({ type }) => type === 'message')
    if (item === undefined)
      return [...this.#cut(), ...callEvents(messageId, this.#index + 1, toolCalls)]
    const opening = messageId === this.#messageId ? [] : [...this.#cut(), ...this.#open(messageId)]
    return [
      ...opening,
      ...textEnds(messageId, this.#index, outputText(text, citations), item),
      ...callEvents(messageId, this.#index + 1, toolCalls),
    ]
  }

  #open(messageId: string): Event[] {
    this.#messageId = messageId
    this.#said = ''
    this.#index += 1
    return textBegins(messageId, this.#index)
  }

  /** Ends a message that was cut short. */
  #cut(): Event[] {
    const id = this.#messageId
    if (id === null) return []
    this.#messageId = null
    const item = cutItem(id, this.#said, 'incomplete')
    return textEnds(id, this.#index, outputText(this.#said, []), item)
  }
}
