import { newId } from '#kernel/ids.ts'
import { includedMicros, type Plan } from '#kernel/plan.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { hasCaps } from './cap-store.ts'
import type { Consumer } from './credit-entry.ts'
import { findPlan } from './plan-store.ts'
import { costOf, currentPrice, type Price } from './prices/price.ts'
import {
  deleteReservations,
  reduceReservations,
  renewReservations,
  reservationMs,
} from './reservation-store.ts'
import { reserveCredits } from './reserve-credits.ts'
import type { CountedUse } from './window-store.ts'

type CreditContext = Pick<Context, 'db' | 'clock' | 'config' | 'log'>

interface TurnUse {
  readonly consumer: Consumer
  /** The id of the answer. */
  readonly turnId: string
  readonly model: string
  readonly startedAt: number
  /** Plan, caps and the number of prices are read here unless the caller already knows them. */
  readonly plan?: Plan | undefined
  readonly hasCaps?: boolean | undefined
  readonly priceCount?: number | undefined
}

interface Tokens {
  readonly promptTokens: number
  /** How many of them the provider had in its cache. */
  readonly cachedTokens?: number
  readonly completionTokens: number
}

const renewEveryMs = reservationMs / 3

/**
 * What one turn costs, and, where credits are limited, what is reserved for it: never less than it may
 * still use. Each call of the model is reserved before it is made and settled when it ends.
 */
export class TurnCredits {
  readonly consumer: Consumer
  readonly startedAt: number
  readonly turnId: string
  /** True when the plan or a cap limits what the turn may use. */
  readonly isLimited: boolean
  readonly #ctx: CreditContext
  readonly #priceCount: number | undefined
  #model: string
  #price: Price
  readonly #included: number | null
  #heldMicros = 0
  /** What the calls that were made cost. */
  #usedMicros = 0
  /** The part of it that is booked in separate entries, such as calls of actions. */
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
    this.#model = use.model
    this.#priceCount = use.priceCount
    this.isLimited = of.isLimited
    this.#ctx = ctx
    this.#price = of.price
    this.#included = of.included
  }

  static async open(ctx: CreditContext, use: TurnUse): Promise<TurnCredits> {
    const { workspaceId } = use.consumer
    const price = await currentPrice(ctx, use.model, use.priceCount)
    const plan = use.plan ?? (await findPlan(ctx.db.read, workspaceId))
    const included = plan === undefined ? null : includedMicros(ctx.config, plan)
    const isLimited =
      included !== null || (use.hasCaps ?? (await hasCaps(ctx.db.read, workspaceId)))
    return new TurnCredits(ctx, use, { price, included, isLimited })
  }

  /** The id of the model that is called. */
  get model(): string {
    return this.#model
  }

  /**
   * Another model is called instead, before a call has ended: only that model's tokens are counted.
   */
  async changeModel(model: string): Promise<void> {
    this.#price = await currentPrice(this.#ctx, model, this.#priceCount)
    this.#model = model
  }

  /** True when something is reserved, to be released with the turn's entry. */
  get isHolding(): boolean {
    return this.#heldMicros > 0
  }

  /**
   * What the whole turn is charged: the cost of its calls of the model, but, where credits are limited,
   * no more than was reserved for them. A provider may count tokens that Parley never sent, such as
   * its own template; that must not overdraw a cap.
   */
  chargeFor(used: Tokens): CountedUse {
    const cost = this.#costOf(used)
    const most = this.isLimited ? this.#heldMicros - this.#besidesMicros : cost
    const { workspaceId, agentId, keyId, endUser } = this.consumer
    return {
      workspace_id: workspaceId,
      agent_id: agentId,
      key_id: keyId,
      end_user: endUser,
      amount_micros: 0 - Math.min(cost, most),
      counted_at: this.startedAt,
    }
  }

  #costOf({ promptTokens, cachedTokens, completionTokens }: Tokens): number {
    return costOf(this.#price, promptTokens, completionTokens, cachedTokens)
  }

  /**
   * Reserves what a call of the model may cost, besides what the turn has used.
   *
   * @throws Fault credits_used_up, credit_cap_reached
   */
  async holdForModel(most: Tokens): Promise<void> {
    await this.#hold(this.#costOf(most))
  }

  /** Counts what a call of the model really used. */
  settleModel(used: Tokens): void {
    this.#usedMicros += this.#costOf(used)
  }

  /**
   * Reserves the price of something else, such as the call of an action, and counts it as used.
   *
   * @throws Fault credits_used_up, credit_cap_reached
   */
  async holdFor(costMicros: number): Promise<void> {
    const holding = this.#hold(costMicros)
    // Counted at once, because several calls are reserved at the same time.
    this.#countBesides(costMicros)
    try {
      await holding
    } catch (error) {
      this.#countBesides(-costMicros)
      throw error
    }
  }

  /** A step: releases what was reserved for a use that this unit books in its own entry. */
  async releaseBooked(tx: Tx, costMicros: number): Promise<void> {
    if (this.isLimited) await reduceReservations(tx, this.turnId, costMicros)
  }

  /** Must follow the unit of `releaseBooked`: the turn's own entry no longer contains the use. */
  forgetBooked(costMicros: number): void {
    if (!this.isLimited) return
    this.#countBesides(-costMicros)
    this.#heldMicros -= costMicros
  }

  #countBesides(costMicros: number): void {
    this.#usedMicros += costMicros
    this.#besidesMicros += costMicros
  }

  async #hold(maxMicros: number): Promise<void> {
    const more = this.#usedMicros + maxMicros - this.#heldMicros
    // A free call is never refused.
    if (!this.isLimited || maxMicros === 0 || more <= 0) return
    this.#heldMicros += more
    try {
      await reserveCredits(this.#ctx, {
        turnId: this.turnId,
        consumer: this.consumer,
        countedAt: this.startedAt,
        amountMicros: more,
        includedMicros: this.#included,
      })
    } catch (error) {
      this.#heldMicros -= more
      throw error
    }
    this.#keep()
  }

  /** Releases everything, for a turn that used nothing. */
  async release(): Promise<void> {
    this.end()
    if (this.#heldMicros === 0) return
    this.#heldMicros = 0
    await this.#ctx.db.write((tx) => deleteReservations(tx, this.turnId))
  }

  /** Stops renewing the reservation, which is then booked or lapses. Must follow the end of a turn. */
  end(): void {
    if (this.#renewing !== null) clearInterval(this.#renewing)
    this.#renewing = null
  }

  /** Renews the reservation while the turn runs. If its process dies, the reservation lapses. */
  #keep(): void {
    if (this.#renewing !== null) return
    const { db, clock, log } = this.#ctx
    const renew = () =>
      db.write((tx) => renewReservations(tx, this.turnId, clock.now() + reservationMs))
    this.#renewing = setInterval(() => {
      renew().catch((error: unknown) =>
        log.warn({ err: error }, 'could not renew reserved credits'),
      )
    }, renewEveryMs)
    this.#renewing.unref()
  }
}

/**
 * Reserves, where credits are limited, the most that a use other than a chat turn may cost. `bookUsage`
 * books its real cost.
 *
 * @param model the model id
 * @param maxTokens the most tokens that the provider may count
 * @returns releases what was reserved; to be called after the use is booked, or has failed
 * @throws Fault credits_used_up, credit_cap_reached
 */
export async function holdForUse(
  ctx: CreditContext,
  use: { readonly consumer: Consumer; readonly model: string },
  maxTokens: number,
): Promise<() => Promise<void>> {
  if (costOf(await currentPrice(ctx, use.model), maxTokens, 0) === 0) return async () => undefined
  const startedAt = ctx.clock.now()
  const credits = await TurnCredits.open(ctx, { ...use, turnId: newId(startedAt), startedAt })
  await credits.holdForModel({ promptTokens: maxTokens, completionTokens: 0 })
  return () => credits.release()
}
