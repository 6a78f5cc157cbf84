import type { CheckoutStatus } from '#features/checkout/checkout-status.ts'
import { protocolValidator, schemasAbsent } from './acp-schemas.ts'
import { buyer, sessionOf, strict, type Shop } from './shop.ts'
import type { StripeServer } from '#test/support/servers/stripe-server.ts'

/** The two dialects: without `API-Version` and with it. */
export const dialects = ['plain', 'strict'] as const
export type SpokenDialect = (typeof dialects)[number]

type Sent = Readonly<Record<string, string>>

/** A session that was brought to a state over HTTP, with functions to continue it. */
export interface MadeSession {
  readonly id: string
  readonly productId: string
  /** Each call uses a new Idempotency-Key, and each session its own checkout key. */
  post(path: string, body: object): Promise<Response>
  /** Reads the session and validates it against the protocol's schema. */
  status(): Promise<string>
  /** Repeats the complete that the provider did not answer. */
  repeat(): Promise<Response>
}

export const pay = (token = 'spt_good', more = {}) => ({
  payment_data: {
    handler_id: 'card_tokenized',
    instrument: { type: 'card', credential: { type: 'spt', token } },
  },
  ...more,
})

export const proof = {
  authentication_result: {
    outcome: 'authenticated',
    outcome_details: {
      three_ds_cryptogram: 'ABC=',
      electronic_commerce_indicator: '05',
      transaction_id: 'ds-1',
      version: '2.2.0',
    },
  },
}

const isSession = schemasAbsent === null ? protocolValidator('CheckoutSession') : () => undefined

/** Brings sessions to any state of the table through the surface only. */
export function checkoutStates(shop: Shop, stripe: StripeServer, dialect: SpokenDialect) {
  let calls = 0
  const headersFor = (key: string): Sent => {
    calls += 1
    const own = { authorization: `Bearer ${key}`, 'idempotency-key': `${dialect}-${calls}` }
    return dialect === 'strict' ? { ...strict(), ...own } : own
  }

  async function open(isReady: boolean): Promise<MadeSession> {
    const { key } = await shop.newKey()
    const product = await shop.product({ stock: 100 })
    const items =
      dialect === 'plain'
        ? { line_items: [{ product_id: product.id, quantity: 1 }] }
        : { currency: 'usd', capabilities: {}, line_items: [{ id: product.id }] }
    const body = isReady ? { ...items, buyer } : items
    const { id } = await sessionOf(shop.post('/checkout_sessions', body, headersFor(key)))
    const path = `/checkout_sessions/${id}`
    let last: { readonly body: object; readonly headers: Sent } | null = null
    return {
      id,
      productId: product.id,
      async post(action, sent) {
        const headers = headersFor(key)
        if (action === '/complete') last = { body: sent, headers }
        return await shop.post(`${path}${action}`, sent, headers)
      },
      async status() {
        const session = await sessionOf(shop.get(path, headersFor(key)))
        isSession(session)
        return session.status
      },
      async repeat() {
        if (last === null) throw new Error('no complete was sent')
        return await shop.post(`${path}/complete`, last.body, last.headers)
      },
    }
  }

  /** The provider fails midway: the payment intent is stored and its outcome is unknown. */
  async function inDoubt(session: MadeSession, body: object): Promise<MadeSession> {
    stripe.failWith(500, 1)
    const { status } = await session.post('/complete', body)
    if (status !== 503) throw new Error(`the outcome of the payment is not unknown: ${status}`)
    return session
  }

  async function after(isReady: boolean, action: string, body: object): Promise<MadeSession> {
    const session = await open(isReady)
    await session.post(action, body)
    return session
  }

  const make: Record<CheckoutStatus, () => Promise<MadeSession>> = {
    not_ready_for_payment: () => open(false),
    ready_for_payment: () => open(true),
    authentication_required: () => after(true, '/complete', pay('spt_3ds')),
    complete_in_progress: async () => inDoubt(await open(true), pay()),
    completed: () => after(true, '/complete', pay()),
    canceled: () => after(true, '/cancel', {}),
    async expired() {
      const session = await open(true)
      shop.advance(shop.ctx.config.checkoutSessionTtlSeconds * 1000 + 1)
      return session
    },
  }

  return {
    inDoubt,
    /** @throws Error if the session is not in that state */
    async in(status: CheckoutStatus): Promise<MadeSession> {
      const session = await make[status]()
      const found = await session.status()
      if (found !== status) throw new Error(`the session is ${found}, not ${status}`)
      return session
    },
  }
}
