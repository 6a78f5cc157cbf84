import { endOf } from '#features/responses/index.ts'
import type { TurnResult } from '#features/turns/index.ts'
import type { CallPiece } from '#platform/models/model.ts'
import { CallFrames } from '#surfaces/chat/call-frames.ts'
import { MessageFrames } from '#surfaces/chat/message-frames.ts'
import { ReasoningFrames } from './reasoning-frames.ts'
import { toResponseError } from './response-error.ts'
import {
  answerItems,
  contentOf,
  responseShape,
  type ContentPart,
  type Event,
  type ResponseState,
} from './response-shape.ts'
import type { FrameWriter } from '#surfaces/chat/stream-answer.ts'

/** A response whose end is not known. */
export type Begun = Pick<ResponseState, 'id' | 'createdAt' | 'request' | 'sessionId'>

/** Writes one streamed response as the semantic events of Open Responses, numbered from 0. */
export function responseFrames(begun: Begun, messageId: string, now: () => number): FrameWriter {
  return new ResponseFrames(begun, messageId, now)
}

class ResponseFrames implements FrameWriter {
  readonly #begun: Begun
  readonly #messageId: string
  readonly #now: () => number
  #sequence = 0
  /** The items of the output that have begun, in their order; a number is that of a call. */
  readonly #items: ('message' | 'reasoning' | number)[] = []
  #thought: ReasoningFrames | null = null
  #message: MessageFrames | null = null
  readonly #calls: CallFrames

  constructor(begun: Begun, messageId: string, now: () => number) {
    this.#begun = begun
    this.#messageId = messageId
    this.#now = now
    this.#calls = new CallFrames(messageId, (n) => this.#items.push(n) - 1)
  }

  begin(): string {
    const running = this.#whole({ status: 'in_progress', output: [] })
    return this.#write([
      ['response.created', running],
      ['response.in_progress', running],
    ])
  }

  reasoning(texts: readonly string[]): string {
    if (this.#thought !== null) return this.#write(this.#thought.add(texts))
    this.#thought = new ReasoningFrames(this.#messageId, this.#items.push('reasoning') - 1)
    return this.#write([...this.#thought.begin(), ...this.#thought.add(texts)])
  }

  texts(given: readonly string[]): string {
    const texts = given.filter((text) => text !== '')
    // An answer of calls alone has no message.
    if (texts.length === 0) return ''
    const { message, events } = this.#writing()
    return this.#write([...events, ...message.text(texts)])
  }

  refusal(texts: readonly string[]): string {
    const { message, events } = this.#writing()
    return this.#write([...events, ...message.refuse(texts)])
  }

  calls(pieces: readonly CallPiece[]): string {
    return this.#write([...(this.#thought?.pause() ?? []), ...this.#calls.add(pieces)])
  }

  end(result: TurnResult): string {
    const { item, output: ended, content, ...state } = endedState(this.#messageId, result)
    const completedAt = state.status === 'completed' ? this.#now() : null
    const thought = this.#thought?.end() ?? []
    const events: Event[] = [
      ...thought,
      ...(item === undefined ? [] : this.#endMessage(content, item)),
      ...this.#calls.end(result.toolCalls),
    ]
    const calls = ended.filter((one) => one !== item)
    const output = this.#inOrder(item === undefined ? [] : [item], calls)
    const whole = this.#whole({ ...state, output, completedAt })
    return this.#write([...events, [`response.${state.status}`, whole]]) + done
  }

  failed(error: unknown): string {
    const { code, message } = toResponseError(error).error
    const said = this.#message === null ? [] : [this.#message.item('incomplete')]
    const output = this.#inOrder(said, [])
    const failed = this.#whole({ status: 'failed', error: { code, message }, output })
    const events: Event[] = [
      ...(this.#thought?.end() ?? []),
      ...(this.#message?.cut() ?? []),
      ...this.#calls.cut(),
      ['response.failed', failed],
    ]
    return this.#write(events) + done
  }

  #write(events: readonly Event[]): string {
    return events.map(([type, fields]) => frameOf(type, this.#sequence++, fields)).join('')
  }

  #whole(state: Pick<ResponseState, 'status' | 'output'> & Partial<ResponseState>) {
    return { response: responseShape({ ...this.#begun, ...state }) }
  }

  /** The message, with the events of its beginning if it has none yet. */
  #writing(): { readonly message: MessageFrames; readonly events: Event[] } {
    const events = this.#thought?.pause() ?? []
    if (this.#message !== null) return { message: this.#message, events }
    this.#message = new MessageFrames(this.#messageId, this.#items.push('message') - 1)
    return { message: this.#message, events: [...events, ...this.#message.begin()] }
  }

  #endMessage(content: readonly ContentPart[], item: object): Event[] {
    const { message, events } = this.#writing()
    return [...events, ...message.end(content, item)]
  }

  /**
   * @param message empty, or the message of the answer
   * @param calls those of the answer, by their numbers
   */
  #inOrder(message: readonly object[], calls: readonly object[]): object[] {
    const thought = this.#thought === null ? [] : [this.#thought.item]
    return this.#items.flatMap((item) => {
      if (item === 'reasoning') return thought
      return item === 'message' ? message : (calls[item] ?? [])
    })
  }
}

export function frameOf(type: string, sequence: number, fields: object): string {
  const event = { type, sequence_number: sequence, ...fields }
  return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
}

export const done = 'data: [DONE]\n\n'

/** How a response ended whose answer the model finished. `item` is its message, if it has a text. */
export function endedState(messageId: string, result: TurnResult) {
  const { usage, finishReason } = result
  const { status, reason } = endOf(finishReason)
  const ended = status === 'completed' ? 'completed' : 'incomplete'
  const output = answerItems(messageId, ended, result)
  const item = output.find(({ type }) => type === 'message')
  return { status, incomplete: reason, output, usage, item, content: contentOf(result) }
}
