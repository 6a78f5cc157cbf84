import { z } from 'zod'
import { checkoutStatuses } from '#features/checkout/index.ts'
import { supportedVersions } from './dialect.ts'

/** The surface's answers for the contract; tests compare real answers with these schemas. */

const money = z.object({ amount: z.int(), currency: z.string() })
const total = z.looseObject({ type: z.string(), display_text: z.string(), amount: z.int() })
const part = z.looseObject({})

export const order = z.looseObject({
  type: z.literal('order'),
  id: z.uuid(),
  checkout_session_id: z.uuid(),
  order_number: z.string(),
  permalink_url: z.url(),
  status: z.string(),
  line_items: z.array(part),
  fulfillments: z.array(part),
  adjustments: z.array(part),
  totals: z.array(total),
})

/** The fields that clients need; the full schema is the protocol's CheckoutSession. */
export const session = z.looseObject({
  id: z.uuid(),
  status: z.enum(checkoutStatuses),
  currency: z.string(),
  line_items: z.array(
    z.looseObject({
      id: z.string(),
      item: z.looseObject({ id: z.string() }),
      quantity: z.int(),
      totals: z.array(total),
    }),
  ),
  fulfillment_options: z.array(z.looseObject({ type: z.string(), id: z.string() })),
  totals: z.array(total),
  messages: z.array(z.looseObject({ type: z.string(), content: z.string() })),
  links: z.array(z.looseObject({ type: z.string(), url: z.url() })),
  capabilities: part,
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  order: order.optional(),
})

export const products = z.object({
  data: z.array(
    z.object({
      id: z.uuid(),
      name: z.string(),
      description: z.string(),
      sku: z.string().nullable(),
      price: money,
      images: z.array(z.string()),
      categories: z.array(z.string()),
      fulfillment_type: z.string(),
      availability: z.object({ available: z.boolean(), status: z.string() }),
      updated_at: z.iso.datetime(),
    }),
  ),
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
})

export const feed = z.object({
  products: z.array(
    z.looseObject({ id: z.uuid(), title: z.string(), variants: z.array(part).min(1) }),
  ),
})

export const card = z.looseObject({
  name: z.string(),
  description: z.string(),
  url: z.url(),
  version: z.string(),
  capabilities: z.looseObject({ products: z.boolean(), checkout: z.boolean() }),
  skills: z.array(part),
  /** This and `authentication` are omitted for an agent that sells nothing. */
  endpoints: z.record(z.string(), z.url()).optional(),
  authentication: z.looseObject({ type: z.literal('bearer') }).optional(),
  acp: z.looseObject({
    app_id: z.uuid(),
    app_name_id: z.string(),
    api_base_url: z.url().optional(),
    supported_versions: z.array(z.string()).optional(),
  }),
})

export const discovery = z.looseObject({
  protocol: z.looseObject({ name: z.literal('acp'), version: z.enum(supportedVersions) }),
  api_base_url: z.url(),
  transports: z.array(z.literal('rest')),
  capabilities: z.looseObject({ services: z.array(z.string()) }),
})

export const plainError = z.object({ error: z.object({ code: z.string(), message: z.string() }) })
export const protocolError = z.object({
  type: z.enum(['invalid_request', 'processing_error', 'service_unavailable']),
  code: z.string(),
  message: z.string(),
  param: z.string().optional(),
  supported_versions: z.array(z.string()).optional(),
})
export const limited = z.object({ error: z.literal('Rate limit exceeded') })
