import type { CommerceSettings, PickupLocation, ShippingOption } from '#features/catalog/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { shippingAddress, type Choices, type DeliveryType, type Selection } from './choices.ts'
import type { Message } from './message.ts'
import type { FulfillmentOption } from './quote.ts'

interface Terms {
  readonly settings: CommerceSettings
  readonly currency: string
  readonly now: number
}

/** The delivery options for the items of each type, limited by the address if there is one. */
export function optionsFor(
  types: readonly DeliveryType[],
  choices: Choices,
  { settings, currency, now }: Terms,
): FulfillmentOption[] {
  const country = shippingAddress(choices)?.country
  return types.flatMap((type): FulfillmentOption[] => {
    switch (type) {
      case 'shipping':
        return settings.shipping_options
          .filter((option) => isOffered(option, settings.currency, currency, country))
          .map((option) => shipping(option, now))
      case 'pickup':
        return settings.pickup_locations.map(pickup)
      case 'digital':
        return [digital]
    }
  })
}

/** An option that costs something is offered in its own currency only. */
function isOffered(
  option: ShippingOption,
  agentCurrency: string,
  currency: string,
  country: string | undefined,
): boolean {
  const fits = option.price_amount === 0 || (option.currency ?? agentCurrency) === currency
  const reaches =
    option.countries === undefined || country === undefined || option.countries.includes(country)
  return fits && reaches
}

/** The selection for each type: the buyer's choice if it is still offered, or the only option. */
export function selectionsFor(
  types: readonly DeliveryType[],
  options: readonly FulfillmentOption[],
  chosen: readonly Selection[],
): Selection[] {
  return types.flatMap((type) => {
    const offered = options.filter((option) => option.type === type)
    const wanted = chosen.find((selection) => selection.type === type)
    const option = offered.find(({ id }) => id === wanted?.optionId)
    if (option !== undefined) return [{ type, optionId: option.id }]
    const [sole, another] = offered
    return sole !== undefined && another === undefined ? [{ type, optionId: sole.id }] : []
  })
}

/** What is missing for the delivery. */
export function deliveryMessages(
  types: readonly DeliveryType[],
  options: readonly FulfillmentOption[],
  selections: readonly Selection[],
  choices: Choices,
): Message[] {
  return types.flatMap((type): Message[] => {
    if (type === 'shipping' && shippingAddress(choices) === null)
      return [{ type: 'error', code: 'address_missing', param: '$.fulfillment_details.address' }]
    const offered = options.filter((option) => option.type === type)
    if (offered.length === 0)
      return [
        type === 'pickup'
          ? { type: 'error', code: 'no_pickup_location', param: '$.fulfillment_options' }
          : {
              type: 'error',
              code: 'region_restricted',
              param: '$.fulfillment_details.address.country',
            },
      ]
    if (selections.some((selection) => selection.type === type)) return []
    const param = '$.selected_fulfillment_options'
    return [{ type: 'error', code: 'option_missing', param, facts: { type } }]
  })
}

const plain = { description: '', amount: 0, carrier: null, earliest: null, latest: null }

const digital: FulfillmentOption = {
  ...plain,
  type: 'digital',
  id: 'digital',
  title: 'Digital delivery',
  location: null,
}

function shipping(option: ShippingOption, now: number): FulfillmentOption {
  const { id, title, description, price_amount, carrier, min_days, max_days } = option
  return {
    type: 'shipping',
    id,
    title,
    description,
    amount: price_amount,
    carrier: carrier ?? null,
    earliest: min_days === undefined ? null : now + min_days * dayMs,
    latest: max_days === undefined ? null : now + max_days * dayMs,
    location: null,
  }
}

function pickup({ id, title, address, phone, instructions }: PickupLocation): FulfillmentOption {
  const location = { name: title, address, phone, instructions }
  return { ...plain, type: 'pickup', id, title, location }
}
