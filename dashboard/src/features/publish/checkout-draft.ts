import type { InputOf, OutputOf } from '#api/call-operation.ts'
import { moneyText, readMoney } from '#texts/money.ts'
import {
  codeDraftsOf,
  codesOf,
  pickupDraftsOf,
  pickupsOf,
  type CodeDraft,
  type PickupDraft,
} from './selling-draft.ts'

export type CheckoutSettings = OutputOf<'get_commerce_settings'>

/** A shipping option as it is typed into its form. */
export interface ShippingDraft {
  readonly id: string
  readonly title: string
  readonly price: string
  readonly countries: string
}

export interface RateDraft {
  readonly id: string
  /** As it was when the form was opened, with what the form does not show; none for a new one. */
  readonly stored?: TaxRate
  readonly name: string
  readonly percent: string
  readonly country: string
}

export type CheckoutDraft = {
  readonly currency: string
  readonly shipping: readonly ShippingDraft[]
  readonly rates: readonly RateDraft[]
  readonly codes: readonly CodeDraft[]
  readonly pickups: readonly PickupDraft[]
  readonly pricesIncludeTax: boolean
  readonly shippingTaxed: boolean
  readonly terms: string
  readonly privacy: string
  readonly returns: string
}

export function checkoutDraftOf(settings: CheckoutSettings): CheckoutDraft {
  const { currency, tax, links } = settings
  return {
    currency: currency.toUpperCase(),
    shipping: settings.shipping_options.map((option) => ({
      id: option.id,
      title: option.title,
      price: moneyText(option.price_amount, option.currency ?? currency),
      countries: (option.countries ?? []).join(', '),
    })),
    rates: tax.rates.map((rate, index) => ({
      id: String(index),
      stored: rate,
      name: rate.name,
      percent: String(rate.percent),
      country: rate.country ?? '',
    })),
    codes: codeDraftsOf(settings),
    pickups: pickupDraftsOf(settings),
    pricesIncludeTax: tax.prices_include_tax,
    shippingTaxed: tax.shipping_taxed,
    terms: links.terms ?? '',
    privacy: links.privacy ?? '',
    returns: links.returns ?? '',
  }
}

type TaxRate = CheckoutSettings['tax']['rates'][number]
type ShippingOption = CheckoutSettings['shipping_options'][number]
export type CheckoutFields = Omit<
  InputOf<'update_commerce_settings'>,
  'app_id' | 'expected_revision'
>

/**
 * The settings with the form's changes, including the settings that the form does not show.
 *
 * @returns as `wrongPrice` the title of a shipping option, or the discount code, whose price is not an
 *   amount
 */
export function checkoutFieldsOf(
  draft: CheckoutDraft,
  present: CheckoutSettings,
): { readonly fields: CheckoutFields } | { readonly wrongPrice: string } {
  const options: NonNullable<CheckoutFields['shipping_options']>[number][] = []
  for (const { id, title, price, countries } of draft.shipping) {
    const known = present.shipping_options.find((one) => one.id === id)
    const { countries: _, ...kept }: Partial<ShippingOption> = known ?? {}
    const amount = readMoney(price, kept.currency ?? draft.currency)
    if (amount === null) return { wrongPrice: title }
    const listed = countries.toUpperCase().match(/[A-Z]{2}/g) ?? []
    const where = listed.length === 0 ? {} : { countries: listed }
    options.push({ ...kept, id, title, price_amount: amount, ...where })
  }
  const read = codesOf(draft.codes, draft.currency)
  if ('wrongPrice' in read) return read
  return {
    fields: {
      currency: draft.currency.toLowerCase(),
      shipping_options: options,
      pickup_locations: pickupsOf(draft.pickups, present.pickup_locations),
      discount_codes: read.codes,
      tax: taxOf(draft),
      links: linksOf(draft, present),
    },
  }
}

function taxOf(draft: CheckoutDraft): NonNullable<CheckoutFields['tax']> {
  const rates = draft.rates.map(({ stored = {}, name, percent, country }) => {
    const { country: _, ...kept }: Partial<TaxRate> = stored
    const where = country.trim() === '' ? {} : { country: country.trim().toUpperCase() }
    return { ...kept, name, percent: Number(percent.replace(',', '.')), ...where }
  })
  const { pricesIncludeTax, shippingTaxed } = draft
  return { rates, prices_include_tax: pricesIncludeTax, shipping_taxed: shippingTaxed }
}

function linksOf(
  draft: CheckoutDraft,
  present: CheckoutSettings,
): NonNullable<CheckoutFields['links']> {
  const { terms: _, privacy: __, returns: ___, ...kept } = present.links
  const given = { terms: draft.terms, privacy: draft.privacy, returns: draft.returns }
  const filled = Object.entries(given).filter(([, url]) => url.trim() !== '')
  return { ...kept, ...Object.fromEntries(filled) }
}
