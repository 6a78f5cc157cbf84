import { z } from 'zod'
import { buyer, type Completion } from '#features/checkout/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Dialect } from './dialect.ts'
import { bodyFaults, readBody } from './json-path.ts'
import { isObject, modernPayment } from './older-shapes.ts'

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
})

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

const authenticationResult = z.object({
  outcome: z.enum(outcomes),
  outcome_details: z
    .object({
      three_ds_cryptogram: word.optional(),
      electronic_commerce_indicator: z.enum(['01', '02', '05', '06', '07']).optional(),
      transaction_id: word.optional(),
      version: word.optional(),
    })
    .optional(),
})

/** What a complete is validated by. */
export const completeBody = z.object({
  payment_data: paymentData.nullish(),
  authentication_result: authenticationResult.nullish(),
  buyer: buyer.nullish(),
  order_notes: z.string().max(5000).nullish(),
})

/**
 * What a checkout is paid with. The protocol demands `payment_data`; a plain request may leave it to
 * the provider whether it needs any.
 *
 * @throws Fault field_missing, field_invalid, payment_method_unsupported
 */
export function readComplete(body: unknown, dialect: Dialect): Completion {
  const shaped = isObject(body) ? { ...body, payment_data: modernPayment(body.payment_data) } : body
  const read = readBody(completeBody, shaped)
  const payment = read.payment_data ?? null
  if (payment === null && dialect === 'strict') throw missing('$.payment_data', 'payment_data')
  if (payment !== null && payment.instrument === undefined) throw withoutInstrument(payment)
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
  return {
    outcome: result.outcome,
    cryptogram: details?.three_ds_cryptogram,
    electronicCommerceIndicator: details?.electronic_commerce_indicator,
    transactionId: details?.transaction_id,
    version: details?.version,
  }
}

function withoutInstrument({ purchase_order_number }: z.output<typeof paymentData>): Fault {
  return purchase_order_number === undefined
    ? missing('$.payment_data.instrument', 'payment_data.instrument')
    : new Fault(bodyFaults.payment_method_unsupported, {
        param: '$.payment_data.purchase_order_number',
      })
}

function missing(param: string, name: string): Fault {
  return new Fault(bodyFaults.field_missing, { param, problem: `${name} is required` })
}
