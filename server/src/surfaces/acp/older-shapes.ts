import { isObject } from '#kernel/json.ts'

/**
 * A request in the shape of 2026-04-17, whichever earlier version of the protocol its client was
 * written for. What is not understood stays, for the schema to refuse or pass over.
 *
 * - `items[]` are `line_items[]`; an item is named by `item.id` (as in the lines of a session, whose
 *   `id` is the line's), `id`, `product_id` or `variant_id`
 * - `fulfillment_address` is `fulfillment_details.address` (2025-09-29)
 * - `fulfillment_option_id` is a selected option without its type (2025-09-29)
 * - `{type, shipping: {option_id}}` is `{type, option_id}` (2025-12-12), and so is `{type, id}`, as the
 *   examples of 2026-04-17 have it
 * - `coupons` are `discounts.codes` (2026-01-30)
 */
export function modernShape(body: unknown): unknown {
  if (!isObject(body)) return body
  const { items, line_items, fulfillment_address, fulfillment_option_id, coupons, ...rest } = body
  const cart = line_items ?? items
  const { selected_fulfillment_options: selected, fulfillment_details, discounts } = rest
  return {
    ...rest,
    ...(cart === undefined ? {} : { line_items: Array.isArray(cart) ? cart.map(item) : cart }),
    ...(fulfillment_address === undefined || fulfillment_details !== undefined
      ? {}
      : { fulfillment_details: addressed(fulfillment_address) }),
    ...(Array.isArray(selected) ? { selected_fulfillment_options: selected.map(option) } : {}),
    ...(fulfillment_option_id === undefined || selected !== undefined
      ? {}
      : { selected_fulfillment_options: chosen(fulfillment_option_id) }),
    ...(coupons === undefined || discounts !== undefined ? {} : { discounts: { codes: coupons } }),
  }
}

function item(given: unknown): unknown {
  if (!isObject(given)) return given
  const nested = isObject(given.item) ? given.item : {}
  const id = nested.id ?? given.id ?? given.product_id ?? given.variant_id
  const quantity = given.quantity ?? nested.quantity
  return { id, ...(quantity === undefined ? {} : { quantity }) }
}

function addressed(address: unknown): unknown {
  return address === null ? null : { address }
}

function chosen(optionId: unknown): unknown {
  return optionId === null ? null : [{ option_id: optionId }]
}

function option(given: unknown): unknown {
  if (!isObject(given) || given.option_id !== undefined) return given
  if (given.id !== undefined) return { ...given, option_id: given.id }
  const nested = Object.values(given).find(isObject)
  return nested === undefined ? given : { ...given, option_id: nested.option_id }
}

/** Payment data in the format of 2026-04-17. In 2025-09-29 it was only `{token, provider}`. */
export function modernPayment(data: unknown): unknown {
  if (!isObject(data) || typeof data.token !== 'string' || data.instrument !== undefined)
    return data
  const { token, provider: _, ...rest } = data
  return { ...rest, instrument: { type: 'card', credential: { type: 'spt', token } } }
}
