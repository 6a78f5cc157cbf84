import type { Context } from '#platform/context.ts'
import { maxStoredReasoning } from '#features/turns/index.ts'
import { insertText, isRunning } from './run-store.ts'

/** How often the text of a background response is stored, and whether it was cancelled is checked. */
const everyMs = 250

interface Recorded {
  readonly id: string
  readonly sessionId: string
  readonly messageId: string
}

/**
 * Stores what a background response streams, as rows that streams are read from later: in each period at most
 * one of reasoning, then one of text, then one of a refusal, which ends an answer.
 */
export class TextRecorder {
  readonly #ctx: Pick<Context, 'db' | 'log'>
  readonly #of: Recorded
  readonly #onEnded: () => void
  readonly #timer: NodeJS.Timeout
  #waiting = ''
  #refusal = ''
  #thought = ''
  #hasText = false
  /** How much reasoning may still be stored. */
  #room = maxStoredReasoning
  #storing: Promise<void> = Promise.resolve()
  #isStoring = false

  /** @param onEnded called when the response was cancelled or deleted, or another attempt has begun */
  constructor(ctx: Pick<Context, 'db' | 'log'>, of: Recorded, onEnded: () => void) {
    this.#ctx = ctx
    this.#of = of
    this.#onEnded = onEnded
    this.#timer = setInterval(() => this.#tick(), everyMs)
    this.#timer.unref()
  }

  add(text: string, isRefusal = false): void {
    if (isRefusal) this.#refusal += text
    else this.#waiting += text
    this.#hasText ||= text !== ''
  }

  /** Only the beginning of reasoning is stored, as with the answer. */
  think(texts: string): void {
    const thought = texts.slice(0, this.#room)
    this.#room -= thought.length
    this.#thought += thought
    this.#hasText ||= thought !== ''
  }

  /** Whether the model has written or thought anything. */
  get hasText(): boolean {
    return this.#hasText
  }

  /** Stores the rest. A failure is only logged: the end of the response does not depend on it. */
  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.#storing
    await this.#storeOrLog()
  }

  #tick(): void {
    if (this.#isStoring) return
    this.#isStoring = true
    this.#storing = this.#storeOrLog().finally(() => {
      this.#isStoring = false
    })
  }

  async #storeOrLog(): Promise<void> {
    await this.#store().catch((error: unknown) =>
      this.#ctx.log.warn({ err: error }, 'the text of a response could not be stored'),
    )
  }

  async #store(): Promise<void> {
    const { id, sessionId, messageId } = this.#of
    const [thought, text, refusal] = [this.#thought, this.#waiting, this.#refusal]
    const of = { response_id: id, session_id: sessionId, message_id: messageId }
    const nothing = { ...of, content: '', refusal: null, reasoning: null }
    const rows = [
      ...(thought === '' ? [] : [{ ...nothing, reasoning: storable(thought) }]),
      ...(text === '' ? [] : [{ ...nothing, content: storable(text) }]),
      ...(refusal === '' ? [] : [{ ...nothing, refusal: storable(refusal) }]),
    ]
    const isLive = await this.#ctx.db.write(async (tx) => {
      const runs = await isRunning(tx, id, messageId)
      if (runs) for (const row of rows) await insertText(tx, row)
      return runs
    })
    if (!isLive) return this.#onEnded()
    this.#thought = this.#thought.slice(thought.length)
    this.#waiting = this.#waiting.slice(text.length)
    this.#refusal = this.#refusal.slice(refusal.length)
  }
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD')
}
