import { z } from 'zod'

/**
 * The buyer and the delivery address, under the protocol's names. They are stored and returned as
 * sent, without fields that the protocol does not define.
 */

const text = z.string().max(500)

/**
 * The protocol requires all fields but `line_two` and `company`; many places have no state or
 * postal code.
 */
const address = z.object({
  name: text.default(''),
  line_one: text.min(1),
  line_two: text.optional(),
  city: text.min(1),
  state: text.default(''),
  country: z
    .string()
    .trim()
    .toUpperCase()
    .regex(/^[A-Z]{2}$/, 'must be a code of ISO 3166-1'),
  postal_code: text.default(''),
  company: text.optional(),
})
export type Address = z.output<typeof address>

export const buyer = z.object({
  first_name: text.optional(),
  last_name: text.optional(),
  full_name: text.optional(),
  email: z.email().max(320),
  phone_number: text.optional(),
  customer_id: text.optional(),
  account_type: z.enum(['guest', 'registered', 'business']).optional(),
  authentication_status: z.enum(['authenticated', 'guest', 'requires_signin']).optional(),
  company: z
    .object({
      name: text,
      tax_id: text.optional(),
      department: text.optional(),
      cost_center: text.optional(),
    })
    .optional(),
  loyalty: z
    .object({
      tier: text.optional(),
      points_balance: z.int().optional(),
      member_since: z.iso.datetime({ offset: true }).optional(),
    })
    .optional(),
  tax_exemption: z
    .object({
      certificate_id: text,
      certificate_type: z.enum(['resale', 'exempt_organization', 'government']),
      exempt_regions: z.array(text).max(100).optional(),
      expires_at: z.iso.datetime({ offset: true }).optional(),
    })
    .optional(),
})
export type Buyer = z.output<typeof buyer>

export const fulfillmentDetails = z.object({
  name: text.optional(),
  phone_number: text.optional(),
  email: z.email().max(320).optional(),
  address: address.optional(),
})
export type FulfillmentDetails = z.output<typeof fulfillmentDetails>
