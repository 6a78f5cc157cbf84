import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  checkoutMoves,
  checkoutStatuses,
  mayMove,
  type CheckoutMove,
  type CheckoutStatus,
} from '#features/checkout/checkout-status.ts'
import { upsertProduct } from '#features/catalog/index.ts'
import {
  checkoutStates,
  dialects,
  pay,
  proof,
  type MadeSession,
} from '#test/support/commerce/checkout-states.ts'
import { buyer, describeShop, type Shop } from '#test/support/commerce/shop.ts'
import {
  startStripeServer,
  webhookSecret,
  type StripeServer,
} from '#test/support/servers/stripe-server.ts'

const moves = Object.keys(checkoutMoves) as CheckoutMove[] // the table's own keys

/** Each row of the table with each of its ends. */
const allowed = moves.flatMap((move) =>
  checkoutMoves[move].from.flatMap((from) =>
    checkoutMoves[move].to.map((to): [CheckoutStatus, CheckoutMove, CheckoutStatus] => [
      from,
      move,
      to,
    ]),
  ),
)

const calls = { update: '', begin_payment: '/complete', cancel: '/cancel' } as const
type CallMove = keyof typeof calls
const callMoves = Object.keys(calls) as CallMove[]

const forbidden = checkoutStatuses.flatMap((status) =>
  callMoves.filter((move) => !mayMove(status, move)).map((move) => [status, move] as const),
)

describeShop('the state table over HTTP', (open) => {
  let shop: Shop
  let stripe: StripeServer

  beforeAll(async () => {
    stripe = await startStripeServer()
    shop = await open({
      environment: {
        PAYMENTS: 'stripe',
        STRIPE_SECRET_KEY: 'sk_live_of_nobody',
        STRIPE_WEBHOOK_SECRET: webhookSecret,
        STRIPE_API_BASE: stripe.baseUrl,
      },
    })
    stripe.now = shop.ctx.clock.now
  })
  afterAll(() => stripe.stop())

  function intentOf(sessionId: string) {
    return [...stripe.intents.values()].filter(({ metadata }) => metadata.session_id === sessionId)
  }

  describe.each(dialects)('in the %s dialect', (dialect) => {
    const states = () => checkoutStates(shop, stripe, dialect)

    async function inDoubt(from: CheckoutStatus, token: string): Promise<MadeSession> {
      if (from !== 'complete_in_progress') throw new Error(`no outcome is awaited in ${from}`)
      return await states().inDoubt(await states().in('ready_for_payment'), pay(token))
    }

    /** How to make each move; a missing one does not compile. */
    const make: Record<
      CheckoutMove,
      (from: CheckoutStatus, to: CheckoutStatus) => Promise<MadeSession>
    > = {
      async update(from, to) {
        const session = await states().in(from)
        const change = { buyer: to === 'ready_for_payment' ? buyer : null, order_notes: 'x' }
        expect((await session.post('', change)).status).toBe(200)
        return session
      },
      async begin_payment(from) {
        const session = await states().in(from)
        return await states().inDoubt(session, pay('spt_good', proof))
      },
      async payment_succeeded(from) {
        const session = await inDoubt(from, 'spt_good')
        expect((await session.repeat()).status).toBe(200)
        expect(intentOf(session.id)).toHaveLength(1)
        return session
      },
      async payment_declined(from, to) {
        const session = await inDoubt(from, 'spt_decline')
        const { workspaceId } = shop.owner
        const gone = { productId: session.productId, active: false }
        if (to === 'not_ready_for_payment')
          await upsertProduct(shop.ctx, workspaceId, shop.agent.id, gone)
        expect((await session.repeat()).status).toBe(200)
        return session
      },
      async authentication_asked(from) {
        const session = await inDoubt(from, 'spt_3ds')
        expect((await session.repeat()).status).toBe(200)
        return session
      },
      async paid_elsewhere(from) {
        const session = await states().in(from)
        const [intent] = intentOf(session.id)
        stripe.authenticate(intent?.id ?? '')
        const { body, signature } = stripe.event('payment_intent.succeeded', intent?.id ?? '')
        const headers = { 'stripe-signature': signature }
        const init = { method: 'POST', headers, body }
        expect((await shop.app.request('/hooks/payments/stripe', init)).status).toBe(200)
        return session
      },
      async cancel(from) {
        const session = await states().in(from)
        expect((await session.post('/cancel', {})).status).toBe(200)
        return session
      },
      async expire(from) {
        const session = await states().in(from)
        shop.advance(shop.ctx.config.checkoutSessionTtlSeconds * 1000 + 1)
        return session
      },
    }

    test.each(allowed)('%s: %s leads to %s', async (from, move, to) => {
      const session = await make[move](from, to)
      expect(await session.status()).toBe(to)
    })

    test.each(forbidden)('%s: %s is refused and changes nothing', async (status, move) => {
      const session = await states().in(status)
      const charges = intentOf(session.id).length
      const body = { update: { order_notes: 'x' }, begin_payment: pay(), cancel: {} }[move]
      const response = await session.post(calls[move], body)
      const said = (await response.json()) as Record<string, unknown>
      const { status: code, refusal } = refusalOf(status, move)
      expect(response.status).toBe(code)
      if (refusal === null) expect(said).toMatchObject({ status, messages: [{ type: 'error' }] })
      else if (dialect === 'plain')
        expect(said).toEqual({ error: { code: refusal, message: expect.any(String) } })
      else
        expect(said).toEqual({
          type: 'invalid_request',
          code: refusal,
          message: expect.any(String),
        })
      if (status === 'complete_in_progress')
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await session.status()).toBe(status)
      expect(intentOf(session.id)).toHaveLength(charges)
    })

    test.each(checkoutStatuses)('%s can be read repeatedly', async (status) => {
      const session = await states().in(status)
      expect([await session.status(), await session.status()]).toEqual([status, status])
    })
  })
})

/** What the protocol's one status for it says, and our decision for all others (0008). */
function refusalOf(status: CheckoutStatus, move: CallMove) {
  // Not a refusal: a session that can be returned is, with what is missing in its messages.
  if (status === 'not_ready_for_payment') return { status: 200, refusal: null }
  if (status === 'complete_in_progress') return { status: 409, refusal: 'payment_in_progress' }
  return { status: move === 'cancel' ? 405 : 409, refusal: `session_${status}` }
}
