import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { createFlakyPayments, type FlakyPayments } from './flaky-payments.ts'
import { actorOf, type Person } from '#test/support/test-instance.ts'
import { address, buyer, sessionOf, strict, type OpenShop, type Shop } from './shop.ts'

/** The fields of an order that tests read. */
export interface OrderAnswer {
  readonly id: string
  readonly status: string
  readonly refunded_amount: number
  readonly line_items: readonly { readonly id: string; readonly fulfilled: number }[]
  readonly refunds: readonly { readonly amount: number; readonly status: string }[]
}

/** A shop whose owner manages its orders through the operations. */
export interface OrderShop {
  readonly shop: Shop
  readonly payments: FlakyPayments
  call<Answer = OrderAnswer>(name: string, input: object, person?: Person): Promise<Answer>
  /** Creates a paid order for one product that is shipped. */
  paid(
    quantity?: number,
    fields?: object,
  ): Promise<{ id: string; productId: string; sessionId: string }>
}

export async function openOrderShop(
  open: OpenShop,
  environment: Readonly<Record<string, string>> = {},
): Promise<OrderShop> {
  const payments = createFlakyPayments()
  const shop = await open({ environment, ports: { payments } })
  return {
    shop,
    payments,
    async call<Answer>(name: string, input: object, person = shop.owner) {
      const operation = findOperation(name)
      if (operation === undefined) throw new Error(`no operation ${name}`)
      // The operation's schema has checked the answer.
      return (await runOperation(shop.ctx, actorOf(person), operation, input)) as Answer
    },
    async paid(quantity = 2, fields = {}) {
      const product = await shop.product({ fulfillment_type: 'shipping', stock: 20, ...fields })
      const body = {
        currency: product.currency,
        capabilities: {},
        line_items: [{ id: product.id, quantity }],
        buyer,
        fulfillment_details: { address },
        order_notes: 'Ring twice',
      }
      const { id } = await sessionOf(shop.post('/checkout_sessions', body, strict()))
      const pay = { payment_data: { instrument: { credential: { token: 'spt_test' } } } }
      const { order } = await sessionOf(
        shop.post(`/checkout_sessions/${id}/complete`, pay, strict()),
      )
      return { id: order?.id ?? '', productId: product.id, sessionId: id }
    },
  }
}
