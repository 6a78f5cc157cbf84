import { z } from 'zod'
import type { Completion } from '#features/checkout/index.ts'
import { buyer } from '#features/pricing/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Dialect } from './dialect.ts'
import { bodyFaults, readBody } from './request-body.ts'
import { isObject } from '#kernel/json.ts'
import { modernPayment } from './older-shapes.ts'

const word = z.string().min(1).max(500)

const paymentData = z.object({
  handler_id: word.optional(),
  instrument: z
    .object({
      type: word.optional(),
      credential: z.object({ type: word.default('spt'), token: z.string().min(1).max(5000) }),
    })
    .optional(),
  purchase_order_number: word.optional(),
  payment_terms: z.enum(['immediate', 'net_15', 'net_30', 'net_60', 'net_90']).optional(),
  due_date: z.iso.datetime({ offset: true }).optional(),
  approval_required: z.boolean().optional(),
})
type PaymentData = z.output<typeof paymentData>

const outcomes = [
  'abandoned',
  'attempt_acknowledged',
  'authenticated',
  'canceled',
  'denied',
  'informational',
  'internal_error',
  'not_supported',
  'processing_error',
  'rejected',
] as const

/** With these outcomes the protocol requires `outcome_details`, the issuer's proof. */
const provenOutcomes: readonly string[] = [
  'authenticated',
  'attempt_acknowledged',
  'informational',
] satisfies (typeof outcomes)[number][]

const authenticationResult = z.object({
  outcome: z.enum(outcomes),
  outcome_details: z
    .object({
      three_ds_cryptogram: word,
      electronic_commerce_indicator: z.enum(['01', '02', '05', '06', '07']),
      transaction_id: word,
      version: word,
    })
    .optional(),
})

/** The body of a request to complete a checkout. */
export const completeBody = z.object({
  payment_data: paymentData.nullish(),
  authentication_result: authenticationResult.nullish(),
  buyer: buyer.nullish(),
  order_notes: z.string().max(5000).nullish(),
})

/**
 * The payment of a checkout. The protocol requires `payment_data`; for a plain request, the
 * provider decides whether it needs any.
 *
 * @throws Fault field_missing, field_invalid, payment_method_unsupported
 */
export function readComplete(body: unknown, dialect: Dialect): Completion {
  const shaped = isObject(body) ? { ...body, payment_data: modernPayment(body.payment_data) } : body
  const read = readBody(completeBody, shaped)
  const payment = read.payment_data ?? null
  if (payment === null && dialect === 'strict') throw missing('payment_data')
  if (payment !== null) requirePaidAtOnce(payment)
  return {
    credential: payment?.instrument?.credential ?? null,
    handlerId: payment?.handler_id ?? null,
    authentication: authenticationOf(read.authentication_result ?? null),
    buyer: read.buyer ?? undefined,
    orderNotes: read.order_notes ?? undefined,
  }
}

function authenticationOf(result: z.output<typeof authenticationResult> | null) {
  if (result === null) return null
  const details = result.outcome_details
  if (details === undefined && provenOutcomes.includes(result.outcome))
    throw missing('authentication_result.outcome_details')
  return {
    outcome: result.outcome,
    cryptogram: details?.three_ds_cryptogram,
    electronicCommerceIndicator: details?.electronic_commerce_indicator,
    transactionId: details?.transaction_id,
    version: details?.version,
  }
}

/**
 * A buyer who wants to pay later or to approve first must not be charged now.
 *
 * @throws Fault field_missing, payment_method_unsupported
 */
function requirePaidAtOnce(payment: PaymentData): void {
  const { instrument, purchase_order_number, payment_terms, due_date, approval_required } = payment
  if (instrument === undefined) {
    if (purchase_order_number !== undefined) throw unsupported('purchase_order_number')
    throw missing('payment_data.instrument')
  }
  if (payment_terms !== undefined && payment_terms !== 'immediate')
    throw unsupported('payment_terms')
  if (due_date !== undefined) throw unsupported('due_date')
  if (approval_required === true) throw unsupported('approval_required')
}

function unsupported(field: keyof PaymentData): Fault {
  return new Fault(bodyFaults.payment_method_unsupported, { param: `$.payment_data.${field}` })
}

function missing(name: string): Fault {
  const facts = { param: `$.${name}`, problem: `${name} is required` }
  return new Fault(bodyFaults.field_missing, facts)
}
