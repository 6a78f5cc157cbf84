import {
  PaymentInDoubt,
  type ChargeOutcome,
  type ChargeRequest,
  type Payments,
  type RefundRequest,
} from '#platform/payments/payments.ts'
import { createTestPayments } from '#platform/payments/test-payments.ts'

/** A payment provider that records charges and loses responses on request. */
export interface FlakyPayments extends Payments {
  /** Ids of the charges that moved money: each once, regardless of repeated requests. */
  readonly charged: ReadonlySet<string>
  readonly refunds: readonly RefundRequest[]
  readonly voided: readonly string[]
  asks: number
  /** The next responses are lost: the money has moved, but the caller receives no response. */
  loseAnswers(count: number): void
  /** The provider is unreachable: nothing happens. */
  isDown: boolean
  /** Refunds are declined, and the provider does not record them. */
  refusesRefunds: boolean
}

export function createFlakyPayments(): FlakyPayments {
  const inner = createTestPayments()
  const outcomes = new Map<string, ChargeOutcome>()
  const charged = new Set<string>()
  const refunds: RefundRequest[] = []
  const voided: string[] = []
  let toLose = 0

  async function charge(request: ChargeRequest): Promise<ChargeOutcome> {
    flaky.asks += 1
    if (flaky.isDown) throw new PaymentInDoubt('connection refused')
    const outcome = outcomes.get(request.paymentId) ?? (await inner.charge(request))
    outcomes.set(request.paymentId, outcome)
    if (outcome.status === 'succeeded') charged.add(request.paymentId)
    if (toLose > 0) {
      toLose -= 1
      throw new PaymentInDoubt('the response was lost')
    }
    return outcome
  }

  const flaky: FlakyPayments = {
    ...inner,
    charge,
    charged,
    refunds,
    voided,
    asks: 0,
    isDown: false,
    refusesRefunds: false,
    async refund(request) {
      if (flaky.isDown) throw new PaymentInDoubt('connection refused')
      if (flaky.refusesRefunds) return { status: 'declined', reference: null, code: 'refused' }
      if (!refunds.some(({ refundId }) => refundId === request.refundId)) refunds.push(request)
      return { status: 'succeeded', reference: `refund_${request.refundId}` }
    },
    async void(reference) {
      voided.push(reference)
      return 'voided'
    },
    loseAnswers(count) {
      toLose = count
    },
  }
  return flaky
}
