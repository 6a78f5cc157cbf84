import type { DiscountCode } from '#features/catalog/index.ts'
import { allocate, percentOf } from '#kernel/money.ts'
import type { DiscountRefusal } from './message.ts'
import type { AppliedDiscount, RejectedDiscount } from './quote.ts'

interface Discounted {
  readonly applied: readonly AppliedDiscount[]
  readonly rejected: readonly RejectedDiscount[]
  /** The total discount of each line; never more than the line. */
  readonly perLine: readonly number[]
}

interface Terms {
  readonly codes: readonly string[]
  readonly known: readonly DiscountCode[]
  /**
   * False if the cart is not in the agent's currency: fixed amounts and minimums do not apply then.
   */
  readonly inOwnCurrency: boolean
  readonly now: number
}

/**
 * Applies the discounts in the order of their codes, each to the remaining amount. An amount is
 * distributed over the lines in proportion to their price, so that the parts add up exactly.
 */
export function applyDiscounts(bases: readonly number[], terms: Terms): Discounted {
  const applied: AppliedDiscount[] = []
  const rejected: RejectedDiscount[] = []
  const left = [...bases]
  for (const code of terms.codes) {
    const discount = terms.known.find((known) => known.code.toLowerCase() === code.toLowerCase())
    const reason = refusalOf(discount, sum(bases), applied, terms)
    if (discount === undefined || reason !== null) {
      rejected.push({ code, reason: reason ?? 'discount_code_invalid' })
      continue
    }
    const amount = Math.min(amountOff(discount, sum(left)), sum(left))
    const allocations = allocate(amount, left)
    for (const [index, part] of allocations.entries()) left[index] = (left[index] ?? 0) - part
    applied.push({ discount, code: discount.code, amount, allocations })
  }
  return { applied, rejected, perLine: bases.map((base, index) => base - (left[index] ?? 0)) }
}

function refusalOf(
  discount: DiscountCode | undefined,
  cartBase: number,
  applied: readonly AppliedDiscount[],
  { now, inOwnCurrency }: Terms,
): DiscountRefusal | null {
  if (discount === undefined) return 'discount_code_invalid'
  const { starts_at, ends_at, minimum_amount, combinable } = discount
  if (starts_at !== undefined && now < Date.parse(starts_at)) return 'discount_code_invalid'
  if (ends_at !== undefined && now >= Date.parse(ends_at)) return 'discount_code_expired'
  if (applied.some((one) => one.code === discount.code)) return 'discount_code_already_applied'
  const others = applied.map((one) => one.discount)
  if (others.length > 0 && !(combinable && others.every((other) => other.combinable)))
    return 'discount_code_combination_disallowed'
  const needsOwnCurrency = discount.amount_off !== undefined || minimum_amount > 0
  if (needsOwnCurrency && !inOwnCurrency) return 'discount_code_invalid'
  return cartBase < minimum_amount ? 'discount_code_minimum_not_met' : null
}

function amountOff({ percent_off, amount_off }: DiscountCode, base: number): number {
  return percent_off === undefined ? (amount_off ?? 0) : percentOf(base, percent_off)
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
