import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context } from '#platform/context.ts'
import type { Database } from '#platform/db/database.ts'
import { renewLease } from './claim-store.ts'
import { leaseMs, renewEveryMs } from './lease-time.ts'
import { keepTurns, type KeptTurn } from './partial-store.ts'

/** A running turn that holds the lease of its session. */
export interface HeldTurn {
  readonly sessionId: string
  readonly leaseToken: string
  readonly messageId: string
  readonly correlationId: string | null
  /** Whether the client sees the answer as it is written. */
  readonly stream: boolean
  readonly answer: {
    readonly said: string
    readonly firstTokenMs: number | null
    readonly credits: { readonly model: string; readonly startedAt: number }
  }
}

/** A turn that runs for longer than `renewEveryMs`. */
export interface LongTurn extends HeldTurn {
  /** Its answer is being stored, so no piece of it is. */
  isClosing: boolean
  /** The length of the answer that is stored. */
  storedTo: number
  /** Whether a piece of it may be stored. */
  hasPieces: boolean
}

type HoldContext = Pick<Context, 'db' | 'clock' | 'log'>

/** Answers up to this length are stored together; the others follow. UTF-16 code units. */
const lengthAtOnce = 1024 * 1024

/** Not as a part of the request that starts the timer: it has a tenant and a limit of time. */
const outside = AsyncLocalStorage.snapshot()

/**
 * The long turns of this process on one database. About every second it renews their leases and stores
 * what they have streamed, all in one statement: what a client has seen survives the process.
 */
export class HeldTurns {
  readonly #ctx: HoldContext
  readonly #turns = new Set<LongTurn>()
  #timer: NodeJS.Timeout | null = null
  /** Resolves when the statement that runs has ended; it never rejects. */
  #storing: Promise<void> | null = null

  constructor(ctx: HoldContext) {
    this.#ctx = ctx
  }

  add(turn: LongTurn): void {
    this.#turns.add(turn)
    this.#timer ??= outside(() => setInterval(() => this.#tick(), renewEveryMs).unref())
  }

  delete(turn: LongTurn): void {
    this.#turns.delete(turn)
    if (this.#turns.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  /**
   * Resolves when the statement that runs has ended: beside the one that stores an answer, it could lock
   * rows in another order.
   */
  async settled(): Promise<void> {
    await this.#storing
  }

  #tick(): void {
    const closing = [...this.#turns].filter((turn) => turn.isClosing)
    for (const turn of closing) void this.#renew(turn)
    this.#storing ??= this.#store().finally(() => {
      this.#storing = null
    })
  }

  async #store(): Promise<void> {
    const open = [...this.#turns].filter((turn) => !turn.isClosing)
    for (const some of inParts(open)) await this.#keep(some)
  }

  async #keep(turns: readonly LongTurn[]): Promise<void> {
    const { db, clock, log } = this.#ctx
    const rows = turns
      .filter((turn) => !turn.isClosing)
      .map((turn) => [turn, pieceOf(turn)] as const)
    if (rows.length === 0) return
    const now = clock.now()
    for (const [turn, { content }] of rows) turn.hasPieces ||= content !== ''
    try {
      const pieces = rows.map(([, piece]) => piece)
      const kept = await keepTurns(db, pieces, { now, leaseUntil: now + leaseMs })
      for (const [turn, { content }] of rows)
        if (kept.has(turn.leaseToken)) turn.storedTo += content.length
        else log.warn({ sessionId: turn.sessionId }, 'a turn lost its session lease')
    } catch (error) {
      log.warn({ err: error, turns: rows.length }, 'could not renew session leases')
    }
  }

  /** A turn of its own, whose answer waits to be stored. */
  async #renew({ sessionId, leaseToken }: LongTurn): Promise<void> {
    const { db, clock, log } = this.#ctx
    const lease = { lease_token: leaseToken, lease_until: clock.now() + leaseMs }
    try {
      await db.prepared(renewLease).writeByKey({ id: sessionId, ...lease })
    } catch (error) {
      log.warn({ err: error, sessionId }, 'could not renew a session lease')
    }
  }
}

/** What the turn has streamed since its latest piece. Half of a character waits for its other half. */
function pieceOf(turn: LongTurn): KeptTurn {
  const { said, firstTokenMs, credits } = turn.answer
  const isHalf = (said.charCodeAt(said.length - 1) & 0xfc00) === 0xd800
  const length = isHalf ? said.length - 1 : said.length
  const content = turn.stream ? said.slice(turn.storedTo, length) : ''
  return {
    message_id: turn.messageId,
    starts_at: turn.storedTo,
    session_id: turn.sessionId,
    lease_token: turn.leaseToken,
    // As the engines store texts, which JSON would hide from them.
    content: content.toWellFormed().replaceAll('\u0000', '\uFFFD'),
    model: credits.model,
    correlation_id: turn.correlationId,
    first_token_ms: firstTokenMs,
    begun_at: credits.startedAt,
  }
}

function inParts(turns: readonly LongTurn[]): LongTurn[][] {
  const parts: LongTurn[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const turn of turns) {
    length += turn.answer.said.length - turn.storedTo
    if (length > lengthAtOnce) {
      parts.push([])
      length = turn.answer.said.length - turn.storedTo
    }
    parts.at(-1)?.push(turn)
  }
  return parts
}

const ofDatabase = new WeakMap<Database, HeldTurns>()

export function heldTurns(ctx: HoldContext): HeldTurns {
  const known = ofDatabase.get(ctx.db)
  if (known !== undefined) return known
  const turns = new HeldTurns(ctx)
  ofDatabase.set(ctx.db, turns)
  return turns
}
