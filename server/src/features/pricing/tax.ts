import type { CommerceSettings, TaxRate } from '#features/catalog/index.ts'
import { includedPercent, percentOf } from '#kernel/money.ts'
import type { Address } from './buyer.ts'
import type { TaxShare } from './quote.ts'
import { regionCode } from './region-code.ts'

type TaxRule = CommerceSettings['tax']
type Place = Pick<Address, 'country' | 'state'>

/**
 * The rate for a product at an address: the most specific one that matches. Country ranks before
 * state, state before tax code. Null means no tax.
 */
export function rateFor(
  { rates }: TaxRule,
  place: Place | null,
  taxCode: string | null,
): TaxRate | null {
  const fitting = rates.filter(
    (rate) =>
      (rate.country === undefined || rate.country === place?.country) &&
      (rate.tax_code === undefined || rate.tax_code === taxCode) &&
      (rate.state === undefined || isIn(place, rate.state)),
  )
  const closest = fitting.toSorted((a, b) => closeness(b) - closeness(a))
  return closest[0] ?? null
}

function isIn(place: Place | null, state: string): boolean {
  if (place === null || place.state === '') return false
  return regionCode(place.state, place.country) === regionCode(state, place.country)
}

function closeness({ country, state, tax_code }: TaxRate): number {
  return (
    Number(country !== undefined) * 4 +
    Number(state !== undefined) * 2 +
    Number(tax_code !== undefined)
  )
}

/** The tax on an amount: in addition to it, or the part of it if prices include tax. */
export function taxOn(amount: number, rate: TaxRate | null, included: boolean): number {
  if (rate === null) return 0
  return included ? includedPercent(amount, rate.percent) : percentOf(amount, rate.percent)
}

/** The sums of taxes with the same name and rate. */
export function breakDown(
  shares: readonly { readonly rate: TaxRate | null; readonly amount: number }[],
): TaxShare[] {
  const byRate = new Map<string, TaxShare>()
  for (const { rate, amount } of shares) {
    if (rate === null || amount === 0) continue
    const { name, percent } = rate
    const key = `${name} ${percent}`
    byRate.set(key, { name, percent, amount: amount + (byRate.get(key)?.amount ?? 0) })
  }
  return [...byRate.values()]
}
