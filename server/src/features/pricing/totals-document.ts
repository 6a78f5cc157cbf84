import { rateDecimals } from '#kernel/money.ts'
import type { QuoteLine, QuoteTotals } from './quote.ts'

interface TotalDocument {
  readonly type: string
  readonly display_text: string
  readonly amount: number
  readonly description?: string
  readonly breakdown?: readonly {
    readonly jurisdiction: string
    readonly rate: number
    readonly amount: number
  }[]
}

/**
 * The totals of a cart as the protocol lists them. They add up: base − discount = subtotal, and
 * subtotal + fulfillment + tax = total. Tax that is included in prices is part of the subtotal, so
 * it is shown with the total and not as a summand.
 */
export function totalsDocument(totals: QuoteTotals): TotalDocument[] {
  const { itemsBase, itemsDiscount, subtotal, fulfillment, tax, taxIncluded, total } = totals
  const shares = totals.taxBreakdown.map(({ name, percent, amount }) => ({
    jurisdiction: name,
    // As many decimals as a rate has: 1.1 % is 0.011, not 0.011000000000000001.
    rate: Number((percent / 100).toFixed(rateDecimals + 2)),
    amount,
  }))
  const breakdown = shares.length === 0 ? {} : { breakdown: shares }
  const rows: TotalDocument[] = [
    { type: 'items_base_amount', display_text: 'Items', amount: itemsBase },
  ]
  if (itemsDiscount > 0)
    rows.push({ type: 'items_discount', display_text: 'Discount', amount: itemsDiscount })
  rows.push({ type: 'subtotal', display_text: 'Subtotal', amount: subtotal })
  if (fulfillment !== null)
    rows.push({ type: 'fulfillment', display_text: 'Fulfillment', amount: fulfillment })
  if (!taxIncluded) rows.push({ type: 'tax', display_text: 'Tax', amount: tax, ...breakdown })
  const included = taxIncluded && tax > 0 ? { description: 'Includes tax', ...breakdown } : {}
  rows.push({ type: 'total', display_text: 'Total', amount: total, ...included })
  return rows
}

/** The totals of one line: base − discount = subtotal, subtotal + tax = total. */
export function lineTotalsDocument(line: QuoteLine, taxIncluded: boolean): TotalDocument[] {
  const rows: TotalDocument[] = [
    { type: 'items_base_amount', display_text: 'Base amount', amount: line.base },
    { type: 'discount', display_text: 'Discount', amount: line.discount },
    { type: 'subtotal', display_text: 'Subtotal', amount: line.subtotal },
  ]
  if (!taxIncluded) rows.push({ type: 'tax', display_text: 'Tax', amount: line.tax })
  rows.push({ type: 'total', display_text: 'Total', amount: line.total })
  return rows
}
