import type { Plan } from '#kernel/plan.ts'
import type { Context } from '#platform/context.ts'
import { hasCaps } from './cap-store.ts'
import type { Consumer } from './credit-entry.ts'
import { includedMicros } from './plan-credits.ts'
import { findPlan } from './plan-store.ts'
import { currentPrice } from './prices/price-book.ts'
import { costOf, type Price } from './prices/price.ts'
import { deleteReservations, renewReservations } from './reservation-store.ts'
import { reservationMs, reserveCredits } from './reserve-credits.ts'

type CreditContext = Pick<Context, 'db' | 'clock' | 'config' | 'log'>

export interface TurnUse {
  readonly consumer: Consumer
  /** The id of the answer. */
  readonly turnId: string
  readonly model: string
  readonly startedAt: number
  /** Where the caller has read them already; else they are read. */
  readonly plan?: Plan | undefined
  readonly hasCaps?: boolean | undefined
}

interface Tokens {
  readonly promptTokens: number
  readonly completionTokens: number
}

const renewEveryMs = reservationMs / 3

/**
 * What one turn costs, and, where credits are limited, what is set aside for it: never less than it
 * may still use. Its calls of the model are told to it before they are made and after.
 */
export class TurnCredits {
  readonly consumer: Consumer
  readonly startedAt: number
  readonly turnId: string
  /** True where something limits what the turn may use. */
  readonly isLimited: boolean
  readonly #ctx: CreditContext
  readonly #price: Price
  readonly #included: number | null
  #heldMicros = 0
  /** What the calls that were made cost, or may have. */
  #usedMicros = 0
  /** What of it is booked by itself, such as calls of actions. */
  #besidesMicros = 0
  #renewing: NodeJS.Timeout | null = null

  private constructor(
    ctx: CreditContext,
    use: TurnUse,
    of: { price: Price; included: number | null; isLimited: boolean },
  ) {
    this.consumer = use.consumer
    this.startedAt = use.startedAt
    this.turnId = use.turnId
    this.isLimited = of.isLimited
    this.#ctx = ctx
    this.#price = of.price
    this.#included = of.included
  }

  static async open(ctx: CreditContext, use: TurnUse): Promise<TurnCredits> {
    const { workspaceId } = use.consumer
    const price = await currentPrice(ctx, use.model)
    const plan = use.plan ?? (await findPlan(ctx.db.read, workspaceId))
    const included = plan === undefined ? null : includedMicros(ctx.config, plan)
    const isLimited =
      included !== null || (use.hasCaps ?? (await hasCaps(ctx.db.read, workspaceId)))
    return new TurnCredits(ctx, use, { price, included, isLimited })
  }

  /** True when something is set aside, to be settled with the turn's entry. */
  get isHolding(): boolean {
    return this.#heldMicros > 0
  }

  /**
   * What the whole turn is booked with, in micros: what its calls of the model cost, and, where
   * credits are limited, no more than was set aside for them. A provider may count what was never
   * sent, such as the words of its own template; that must not overdraw a cap.
   */
  bookedFor(used: Tokens): number {
    const cost = this.#costOf(used)
    return this.isLimited ? Math.min(cost, this.#heldMicros - this.#besidesMicros) : cost
  }

  #costOf({ promptTokens, completionTokens }: Tokens): number {
    return costOf(this.#price, promptTokens, completionTokens)
  }

  /**
   * Sets aside what a call of the model may cost, besides what the turn has used.
   *
   * @throws Fault credits_used_up, credit_cap_reached
   */
  async holdForModel(most: Tokens): Promise<void> {
    await this.#hold(this.#costOf(most))
  }

  /** What a call that was held for has really used. */
  settleModel(used: Tokens): void {
    this.#usedMicros += this.#costOf(used)
  }

  /**
   * Sets aside the price of something else, such as the call of an action, which it then counts as
   * used.
   *
   * @throws Fault credits_used_up, credit_cap_reached
   */
  async holdFor(costMicros: number): Promise<void> {
    await this.#hold(costMicros)
    this.#usedMicros += costMicros
    this.#besidesMicros += costMicros
  }

  async #hold(maxMicros: number): Promise<void> {
    const more = this.#usedMicros + maxMicros - this.#heldMicros
    // What costs nothing is not refused, whatever is left.
    if (!this.isLimited || maxMicros === 0 || more <= 0) return
    await reserveCredits(this.#ctx, {
      turnId: this.turnId,
      consumer: this.consumer,
      countedAt: this.startedAt,
      amountMicros: more,
      includedMicros: this.#included,
    })
    this.#heldMicros += more
    this.#keep()
  }

  /** Nothing was used: for a turn that did not come about. */
  async release(): Promise<void> {
    this.end()
    if (this.#heldMicros === 0) return
    this.#heldMicros = 0
    await this.#ctx.db.write((tx) => deleteReservations(tx, this.turnId))
  }

  /** To be called when the turn has ended, whatever its end: what it held is then booked or lapses. */
  end(): void {
    if (this.#renewing !== null) clearInterval(this.#renewing)
    this.#renewing = null
  }

  /** A turn that runs keeps what it holds; one whose process died does not. */
  #keep(): void {
    if (this.#renewing !== null) return
    const { db, clock, log } = this.#ctx
    const renew = () =>
      db.write((tx) => renewReservations(tx, this.turnId, clock.now() + reservationMs))
    this.#renewing = setInterval(() => {
      renew().catch((error: unknown) => log.warn({ err: error }, 'credits not kept aside'))
    }, renewEveryMs)
    this.#renewing.unref()
  }
}
