import type { StoredResponse, StreamedPiece } from '#features/responses/index.ts'
import { CallFrames } from '#surfaces/chat/call-frames.ts'
import { MessageFrames } from '#surfaces/chat/message-frames.ts'
import { ReasoningFrames } from './reasoning-frames.ts'
import { contentOf, storedShape, type Event, type ItemStatus } from './response-shape.ts'

/** One attempt to answer, as far as it has streamed. */
interface Run {
  readonly messageId: string
  /** Those that have begun, in the order of the output. */
  readonly items: ('message' | 'reasoning')[]
  message: MessageFrames | null
  thought: ReasoningFrames | null
}

/**
 * The items of a background response and their events, from what was stored as it was written. Streams and
 * whole responses both come from here, so they agree in every process.
 */
export class BackgroundItems {
  /** Of runs that ended early. */
  readonly #cut: object[] = []
  #run: Run | null = null

  /** @returns the events of the next stored piece */
  add({ messageId, text, kind }: StreamedPiece): Event[] {
    const { run, events } = this.#runOf(messageId)
    if (kind === 'reasoning') {
      const begins = run.thought === null
      run.thought ??= new ReasoningFrames(messageId, this.#begin(run, 'reasoning'))
      return [...events, ...(begins ? run.thought.begin() : []), ...run.thought.add([text])]
    }
    const { message, events: opening } = this.#openMessage(run)
    const written = kind === 'refusal' ? message.refuse([text]) : message.text([text])
    return [...events, ...(run.thought?.pause() ?? []), ...opening, ...written]
  }

  /** The events after the last piece, before that of the response itself. */
  end(response: StoredResponse): Event[] {
    const { answer } = response
    if (answer === null || !isWhole(response)) return this.#endRun()
    const { messageId, toolCalls } = answer
    const { run, events } = this.#runOf(messageId)
    const item = messageIn(storedShape(response).output)
    events.push(...(run.thought?.end() ?? []))
    if (item !== undefined) {
      const { message, events: opening } = this.#openMessage(run)
      events.push(...opening, ...message.end(contentOf(answer), item))
    }
    const first = this.#cut.length + run.items.length
    return [...events, ...new CallFrames(messageId, (n) => first + n).end(toolCalls)]
  }

  /** The output after the pieces that were added. Until the response ends, that is all it has. */
  output(response: StoredResponse): object[] {
    const { status, messageId } = response
    if (this.#run === null || !isWhole(response) || this.#run.messageId !== messageId) {
      const isNow = status === 'in_progress' && this.#run?.messageId === messageId
      const cut = this.#itemsOf(this.#run, isNow ? 'in_progress' : 'incomplete')
      return [...this.#cut, ...cut, ...(isWhole(response) ? storedShape(response).output : [])]
    }
    const answer = storedShape(response).output
    const message = messageIn(answer)
    const rest = answer.filter((item) => item !== message)
    const said = message === undefined ? [] : [message]
    const run = this.#run
    const shown = run.items.includes('message') ? run.items : [...run.items, 'message' as const]
    return [...this.#cut, ...inOrder(shown, run, said), ...rest]
  }

  #runOf(messageId: string): { readonly run: Run; readonly events: Event[] } {
    if (this.#run?.messageId === messageId) return { run: this.#run, events: [] }
    const events = this.#endRun()
    this.#run = { messageId, items: [], message: null, thought: null }
    return { run: this.#run, events }
  }

  /** Ends a run that was cut short. */
  #endRun(): Event[] {
    const run = this.#run
    if (run === null) return []
    const events = [...(run.thought?.end() ?? []), ...(run.message?.cut() ?? [])]
    this.#cut.push(...this.#itemsOf(run, 'incomplete'))
    this.#run = null
    return events
  }

  #itemsOf(run: Run | null, status: ItemStatus): object[] {
    if (run === null) return []
    const message = run.message === null ? [] : [run.message.item(status)]
    return inOrder(run.items, run, message)
  }

  #openMessage(run: Run): { readonly message: MessageFrames; readonly events: Event[] } {
    if (run.message !== null) return { message: run.message, events: [] }
    const message = new MessageFrames(run.messageId, this.#begin(run, 'message'))
    run.message = message
    return { message, events: message.begin() }
  }

  /** @returns the index of the item in the output */
  #begin(run: Run, item: 'message' | 'reasoning'): number {
    return this.#cut.length + run.items.push(item) - 1
  }
}

/** @param message empty, or the message of the run */
function inOrder(items: Run['items'], { thought }: Run, message: readonly object[]): object[] {
  const reasoning = thought === null ? [] : [thought.item]
  return items.flatMap((item) => (item === 'message' ? message : reasoning))
}

function messageIn(output: ReturnType<typeof storedShape>['output']) {
  return output.find(({ type }) => type === 'message')
}

/** Whether the model finished the answer, which is then stored. */
function isWhole({ status, answer }: StoredResponse): boolean {
  return answer !== null && (status === 'completed' || status === 'incomplete')
}
