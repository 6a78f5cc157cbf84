import type { Context } from '#platform/context.ts'
import type { SessionRow } from './turn-columns.ts'
import type { QuestionRow } from './message-statements.ts'
import { storeOpening } from './turn-store.ts'

/** How long an opening waits for the answer before it is stored without it. */
const pendingMs = 1_000

/**
 * The opening of a new session whose caller learns of nothing before the answer is stored: both are one
 * write. If the model takes longer than a second, the opening is stored meanwhile (decision 0035).
 */
export class PendingOpening {
  readonly session: SessionRow
  readonly messages: readonly QuestionRow[]
  readonly #timer: NodeJS.Timeout
  #storing: Promise<void> | null = null

  constructor(
    { db, log }: Pick<Context, 'db' | 'log'>,
    session: SessionRow,
    messages: readonly QuestionRow[],
  ) {
    this.session = session
    this.messages = messages
    this.#timer = setTimeout(() => {
      this.#storing = storeOpening(db, session, messages, { flush: 'later' })
      this.#storing.catch((error: unknown) =>
        log.warn({ err: error, sessionId: session.id }, 'an opening was not stored'),
      )
    }, pendingMs)
  }

  /**
   * Ends the wait. To be called by the write that stores the answer.
   *
   * @returns whether that write must store the opening, too
   * @throws the error of an opening that could not be stored
   */
  async end(): Promise<boolean> {
    clearTimeout(this.#timer)
    await this.#storing
    return this.#storing === null
  }
}
