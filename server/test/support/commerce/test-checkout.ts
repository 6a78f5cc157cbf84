import type { ProductPatch } from '#features/catalog/index.ts'
import { getProduct } from '#features/catalog/index.ts'
import { createFlakyPayments, type FlakyPayments } from './flaky-payments.ts'
import { buyer, sessionOf, strict, type OpenShop, type SessionBody, type Shop } from './shop.ts'

/** A shop whose payment provider fails on request, and helpers for payment tests. */
export interface TestCheckout {
  readonly shop: Shop
  readonly payments: FlakyPayments
  /** Creates a session for one product that is ready for payment. */
  ready(fields?: ProductPatch, quantity?: number): Promise<{ id: string; productId: string }>
  complete(
    id: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
    at?: Shop,
  ): Promise<Response>
  session(id: string): Promise<SessionBody>
  orders(): Promise<readonly { readonly id: string }[]>
  stockOf(productId: string): Promise<number | null>
  /** The last payment attempt. */
  paymentOf(sessionId: string): Promise<{
    readonly id: string
    readonly provider_reference: string | null
    readonly request_sealed: string | null
  }>
}

/** The body of a complete. The token decides how the test provider responds. */
export const pay = (token = 'spt_test', more = {}) => ({
  payment_data: { instrument: { credential: { type: 'spt', token } } },
  ...more,
})

export async function openTestCheckout(open: OpenShop): Promise<TestCheckout> {
  const payments = createFlakyPayments()
  const shop = await open({ ports: { payments } })
  const { read } = shop.ctx.db
  return {
    shop,
    payments,
    async ready(fields = {}, quantity = 1) {
      const product = await shop.product(fields)
      const line_items = [{ product_id: product.id, quantity }]
      const session = await sessionOf(shop.post('/checkout_sessions', { line_items, buyer }))
      if (session.status !== 'ready_for_payment') throw new Error(`it is ${session.status}`)
      return { id: session.id, productId: product.id }
    },
    complete: (id, body = pay(), headers = strict(), at = shop) =>
      at.post(`/checkout_sessions/${id}/complete`, body, headers),
    session: (id) => sessionOf(shop.get(`/checkout_sessions/${id}`)),
    orders: () => read.selectFrom('orders').selectAll().execute(),
    async stockOf(productId) {
      return (await getProduct(shop.ctx, shop.owner.workspaceId, productId)).stock
    },
    paymentOf: (sessionId) =>
      read
        .selectFrom('payments')
        .selectAll()
        .where('session_id', '=', sessionId)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirstOrThrow(),
  }
}
