import {
  availabilityOf,
  type CommerceSettings,
  type Product,
  type TaxRate,
} from '#features/catalog/index.ts'
import { applyDiscounts } from './apply-discounts.ts'
import type { Address } from './buyer.ts'
import { buyerEmail, shippingAddress, type Choices, type DeliveryType } from './choices.ts'
import { deliveryMessages, optionsFor, selectionsFor } from './fulfillment-options.ts'
import type { Message } from './message.ts'
import {
  lineId,
  type FulfillmentOption,
  type Quote,
  type QuoteLine,
  type QuoteTotals,
} from './quote.ts'
import { breakDown, rateFor, taxOn } from './tax.ts'

export interface QuoteBasis {
  readonly settings: CommerceSettings
  readonly currency: string
  /** Live products by id; a missing product is no longer sold. */
  readonly products: ReadonlyMap<string, Product>
  /**
   * The quote that the buyer saw last: changed prices are reported, and lines that are no longer
   * sold stay as seen.
   */
  readonly seen: Quote | null
  /** Epoch milliseconds. */
  readonly now: number
}

/** What the cart costs and what is missing, from the shop's current data. Pure. */
export function makeQuote(choices: Choices, basis: QuoteBasis): Quote {
  const { settings, currency, now } = basis
  const priced = choices.items.map((item, index) => priceLine(item, index, basis))
  const codes = choices.discountCodes
  const terms = { codes, known: settings.discount_codes, now }
  const inOwnCurrency = currency === settings.currency
  const bases = priced.map(({ line }) => line.base)
  const { applied, rejected, perLine } = applyDiscounts(bases, { ...terms, inOwnCurrency })
  const types = deliveryTypes(priced.map(({ line }) => line))
  const options = optionsFor(types, choices, { settings, currency, now })
  const selections = selectionsFor(types, options, choices.selections)
  const chosen = options.filter(({ type, id }) =>
    selections.some((selection) => selection.type === type && selection.optionId === id),
  )
  const taxed = priced.map(({ line }, index) => {
    const rate = rateFor(settings.tax, taxPlace(line, choices, chosen), line.taxCode)
    return { line: taxLine(line, perLine[index] ?? 0, rate, settings.tax), rate }
  })
  const lines = taxed.map(({ line }) => line)
  const messages = [
    ...priced.flatMap(({ messages }) => messages),
    ...discountMessages(codes, rejected),
    ...deliveryMessages(types, options, selections, choices),
    ...buyerMessages(lines, choices),
  ]
  const totals = addUp(taxed, chosen, choices, settings.tax)
  const discounts = { codes, applied, rejected }
  return { lines, options, selections, discounts, totals, messages, links: settings.links }
}

type PricedLine = Omit<QuoteLine, 'discount' | 'subtotal' | 'tax' | 'total'>

function priceLine(
  { productId, quantity }: Choices['items'][number],
  index: number,
  basis: QuoteBasis,
): { readonly line: PricedLine; readonly messages: readonly Message[] } {
  const product = basis.products.get(productId)
  const seen = basis.seen?.lines.find((line) => line.productId === productId)
  const param = `$.line_items[${index}]`
  if (product === undefined) {
    if (seen === undefined) throw new Error(`product ${productId} was never priced`)
    const line = { ...seen, quantity, base: seen.unitAmount * quantity, available: 0 }
    return {
      line: { ...line, availability: 'out_of_stock' },
      messages: [{ type: 'error', code: 'product_gone', param, facts: { name: seen.name } }],
    }
  }
  const left = product.active ? product.stock : 0
  const line: PricedLine = {
    id: lineId(productId),
    productId,
    name: product.name,
    description: product.description,
    sku: product.sku,
    images: product.images,
    category: product.categories[0] ?? null,
    fulfillmentType: product.fulfillmentType,
    taxCode: product.taxCode,
    unitAmount: product.priceMinor,
    quantity,
    availability: availabilityOf(left),
    available: left,
    base: product.priceMinor * quantity,
  }
  return { line, messages: lineMessages(line, product, param, seen, basis.currency) }
}

function lineMessages(
  line: PricedLine,
  product: Product,
  param: string,
  seen: QuoteLine | undefined,
  currency: string,
): Message[] {
  const { name, quantity, available, unitAmount } = line
  const messages: Message[] = []
  if (!product.active)
    messages.push({ type: 'error', code: 'product_gone', param, facts: { name } })
  else if (product.currency !== currency)
    messages.push({ type: 'error', code: 'currency_changed', param, facts: { name } })
  else if (available === 0)
    messages.push({ type: 'error', code: 'out_of_stock', param, facts: { name } })
  else if (available !== null && available < quantity)
    messages.push({ type: 'error', code: 'quantity_exceeded', param, facts: { name, available } })
  else if (line.availability === 'low_stock')
    messages.push({
      type: 'warning',
      code: 'low_stock',
      param,
      facts: { name, left: available ?? 0 },
    })
  if (seen !== undefined && seen.unitAmount !== unitAmount) {
    const facts = { name, from: seen.unitAmount, to: unitAmount, currency }
    messages.push({ type: 'warning', code: 'price_change', param, facts })
  }
  return messages
}

interface TaxedLine {
  readonly line: QuoteLine
  readonly rate: TaxRate | null
}

/** Items for pickup are sold at the pickup location, everything else at the delivery address. */
function taxPlace(
  { fulfillmentType }: PricedLine,
  choices: Choices,
  chosen: readonly FulfillmentOption[],
): Address | null {
  const pickup = chosen.find(({ type }) => type === 'pickup' && type === fulfillmentType)
  return pickup?.location?.address ?? shippingAddress(choices)
}

function taxLine(
  line: PricedLine,
  discount: number,
  rate: TaxRate | null,
  { prices_include_tax: included }: CommerceSettings['tax'],
): QuoteLine {
  const subtotal = line.base - discount
  const tax = taxOn(subtotal, rate, included)
  return { ...line, discount, subtotal, tax, total: included ? subtotal : subtotal + tax }
}

function addUp(
  taxed: readonly TaxedLine[],
  chosen: readonly FulfillmentOption[],
  choices: Choices,
  rule: CommerceSettings['tax'],
): QuoteTotals {
  const lines = taxed.map(({ line }) => line)
  const taxIncluded = rule.prices_include_tax
  const fulfillment = chosen.length === 0 ? null : sum(chosen, ({ amount }) => amount)
  const deliveryRate = rule.shipping_taxed ? rateFor(rule, shippingAddress(choices), null) : null
  const deliveryTax = taxOn(fulfillment ?? 0, deliveryRate, taxIncluded)
  const subtotal = sum(lines, (line) => line.subtotal)
  const tax = sum(lines, (line) => line.tax) + deliveryTax
  const shares = taxed.map(({ line, rate }) => ({ rate, amount: line.tax }))
  return {
    itemsBase: sum(lines, (line) => line.base),
    itemsDiscount: sum(lines, (line) => line.discount),
    subtotal,
    fulfillment,
    tax,
    taxIncluded,
    taxBreakdown: breakDown([...shares, { rate: deliveryRate, amount: deliveryTax }]),
    total: subtotal + (fulfillment ?? 0) + (taxIncluded ? 0 : tax),
  }
}

function deliveryTypes(lines: readonly PricedLine[]): DeliveryType[] {
  const types = new Set(lines.map(({ fulfillmentType }) => fulfillmentType))
  return (['shipping', 'pickup', 'digital'] as const).filter((type) => types.has(type))
}

/** An address is enough for a shipment; anything else needs a buyer with an e-mail address. */
function buyerMessages(lines: readonly QuoteLine[], choices: Choices): Message[] {
  const shippedOnly = lines.every(({ fulfillmentType }) => fulfillmentType === 'shipping')
  if (shippedOnly || buyerEmail(choices) !== null) return []
  return [{ type: 'error', code: 'buyer_missing', param: '$.buyer.email' }]
}

function discountMessages(
  codes: readonly string[],
  rejected: Quote['discounts']['rejected'],
): Message[] {
  return rejected.map(({ code, reason }) => ({
    type: 'warning',
    code: reason,
    param: `$.discounts.codes[${codes.indexOf(code)}]`,
    facts: { code },
  }))
}

function sum<Item>(items: readonly Item[], amount: (item: Item) => number): number {
  return items.reduce((total, item) => total + amount(item), 0)
}
