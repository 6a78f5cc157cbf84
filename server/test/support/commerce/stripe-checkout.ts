import { pay } from './checkout-states.ts'
import { buyer, sessionOf, strict, type OpenShop, type SessionBody, type Shop } from './shop.ts'
import {
  startStripeServer,
  webhookSecret,
  type Intent,
  type StripeServer,
} from '#test/support/servers/stripe-server.ts'

/** A shop with payments through Stripe, and helpers for payment tests. */
export interface StripeCheckout {
  readonly shop: Shop
  readonly stripe: StripeServer
  /** Creates a session for one product that is ready for payment, and returns its id. */
  ready(): Promise<string>
  complete(id: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Response>
  session(id: string): Promise<SessionBody>
  /** The payments of a session at Stripe. */
  intentsOf(sessionId: string): readonly Intent[]
  /** Stripe sends an event about a payment or a refund. */
  sendEvent(type: string, id: string): Promise<void>
}

/** The official package, unmodified, against a payment server on loopback. */
export async function openStripeCheckout(
  open: OpenShop,
  environment: Readonly<Record<string, string>> = {},
): Promise<StripeCheckout> {
  const stripe = await startStripeServer()
  const shop = await open({
    environment: {
      PAYMENTS: 'stripe',
      STRIPE_SECRET_KEY: 'sk_live_of_nobody',
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_BASE: stripe.baseUrl,
      PAYMENT_TIMEOUT_MS: '300',
      ...environment,
    },
  })
  stripe.now = shop.ctx.clock.now
  return {
    shop,
    stripe,
    async ready() {
      const { id } = await shop.product({ stock: 10 })
      const body = { currency: 'usd', capabilities: {}, line_items: [{ id }], buyer }
      const session = await sessionOf(shop.post('/checkout_sessions', body, strict()))
      if (session.status !== 'ready_for_payment') throw new Error(`it is ${session.status}`)
      return session.id
    },
    complete: (id, body = pay(), headers = strict()) =>
      shop.post(`/checkout_sessions/${id}/complete`, body, headers),
    session: (id) => sessionOf(shop.get(`/checkout_sessions/${id}`, strict())),
    intentsOf: (sessionId) =>
      [...stripe.intents.values()].filter(({ metadata }) => metadata.session_id === sessionId),
    async sendEvent(type, id) {
      const { body, signature } = stripe.event(type, id)
      const headers = { 'stripe-signature': signature }
      const init = { method: 'POST', headers, body }
      const { status } = await shop.app.request('/hooks/payments/stripe', init)
      if (status !== 200) throw new Error(`the event ${type} was answered with ${status}`)
    },
  }
}
