import { raiseGenerations, readWatermark } from '#features/conversations/index.ts'
import type { Database, Engine, Tx } from '#platform/db/database.ts'
import { readCalls, readMessages, readRequests, readStored } from './counted-rows-store.ts'
import { addCounted, takeDeleted } from './keep-usage.ts'
import { addToDays, addToRollups, takeQuestions } from './rollup-store.ts'
import { spans } from './spans.ts'
import { Tally } from './tally.ts'

/** Rows of conversations that are about to be deleted. */
interface Rows {
  readonly sessionIds: readonly string[]
  /** Only messages from this number on. */
  readonly firstSeq?: number
  /** Only these calls, or stored responses. */
  readonly ids?: readonly string[]
}

/**
 * Steps of a unit that deletes rows of conversations. What the job has not counted yet is counted, so that
 * the figures stay. The questions are subtracted from their list, because they are texts of the
 * conversations.
 */
export class CountDeleted {
  /** The rows that the job has counted, and the others. */
  readonly #counted = new Tally([])
  readonly #left = new Tally(spans)
  readonly #tx: Tx
  readonly #engine: Engine
  readonly #reachedAt: number

  private constructor(tx: Tx, engine: Engine, reachedAt: number) {
    this.#tx = tx
    this.#engine = engine
    this.#reachedAt = reachedAt
  }

  static async begin(tx: Tx, { engine }: Pick<Database, 'engine'>): Promise<CountDeleted> {
    const { reached_at: reachedAt } = await readWatermark(tx, 'analytics')
    return new CountDeleted(tx, engine, reachedAt)
  }

  /**
   * @param takesQuestions false if the questions of these conversations were subtracted before
   * @returns whether a conversation began with one of the messages
   */
  async messages(rows: Rows, takesQuestions = true): Promise<boolean> {
    const stored = await readStored(this.#tx, rows)
    for (const message of stored)
      if (message.created_at < this.#reachedAt)
        this.#counted.countStored(takesQuestions ? message : { ...message, opening: null })
    if (stored.some((message) => message.created_at >= this.#reachedAt))
      for (const message of await readMessages(this.#tx, this.#engine, this.#fresh(rows)))
        this.#left.countMessage(message)
    return stored.some(({ opening }) => opening !== null)
  }

  async calls(rows: Rows): Promise<void> {
    for (const call of await readCalls(this.#tx, this.#before(rows))) this.#counted.countCall(call)
    for (const call of await readCalls(this.#tx, this.#fresh(rows))) this.#left.countCall(call)
  }

  async requests(rows: Rows): Promise<void> {
    const requests = await readRequests(this.#tx, this.#before(rows))
    for (const request of requests) this.#counted.countRequest(request)
  }

  async end(): Promise<void> {
    const [tx, engine] = [this.#tx, this.#engine]
    await takeQuestions(tx, engine, [...this.#counted.questions.values()])
    const newUsers = await addToRollups(tx, engine, [...this.#left.places.values()])
    await addCounted(tx, { stored: new Map() }, newUsers)
    await takeDeleted(tx, this.#counted)
    await addToDays(tx, engine, 'citations', [...this.#left.citations.values()])
    await raiseGenerations(tx)
  }

  #before(rows: Rows) {
    return { ...rows, since: 0, until: this.#reachedAt }
  }

  #fresh(rows: Rows) {
    return { ...rows, since: this.#reachedAt, until: Number.MAX_SAFE_INTEGER }
  }
}
