import { afterAll, beforeAll, expect, test } from 'vitest'
import { protocolValidator, schemasAbsent } from '#test/support/commerce/acp-schemas.ts'
import { pay, proof } from '#test/support/commerce/checkout-states.ts'
import { describeShop, sessionOf } from '#test/support/commerce/shop.ts'
import { openStripeCheckout, type StripeCheckout } from '#test/support/commerce/stripe-checkout.ts'

const isSession = schemasAbsent === null ? protocolValidator('CheckoutSession') : () => undefined

describeShop('a payment of which Stripe asks more of the buyer', (open) => {
  let checkout: StripeCheckout

  beforeAll(async () => {
    checkout = await openStripeCheckout(open)
  })
  afterAll(() => checkout.stripe.stop())

  test.each([
    ['spt_3ds', 'https://bank.example/3ds'],
    ['spt_3ds_app', 'https://app.example/pay'],
  ])(
    '%s has a page: the session waits and shows its address and the next step',
    async (token, url) => {
      const id = await checkout.ready()
      await checkout.complete(id, pay(token))
      const waiting = await checkout.session(id)
      isSession(waiting)
      expect(waiting).toMatchObject({
        status: 'authentication_required',
        continue_url: url,
        messages: [
          {
            type: 'error',
            code: 'requires_3ds',
            resolution: 'requires_buyer_review',
            param: '$.authentication_result',
            content: expect.stringContaining('continue_url'),
          },
        ],
      })
    },
  )

  test('without a page the charge is cancelled, and the session explains the next step', async () => {
    const id = await checkout.ready()
    const declined = await sessionOf(checkout.complete(id, pay('spt_3ds_sdk')))
    isSession(declined)
    expect(declined).toMatchObject({
      status: 'ready_for_payment',
      messages: [
        {
          type: 'error',
          code: 'payment_declined',
          content: expect.stringMatching(
            /authenticat.*Nothing was charged.*another payment method/,
          ),
        },
      ],
    })
    expect(declined).not.toHaveProperty('continue_url')
    expect(checkout.intentsOf(id).map(({ status }) => status)).toEqual(['canceled'])
    const paid = await sessionOf(checkout.complete(id, pay('spt_good', proof)))
    expect(paid.status).toBe('completed')
  })

  test('nor after an answer that was lost', async () => {
    const id = await checkout.ready()
    checkout.stripe.holdAnswers(1)
    expect((await checkout.complete(id, pay('spt_3ds_sdk'))).status).toBe(503)
    checkout.shop.advance(60_000)
    await checkout.shop.work()
    expect((await checkout.session(id)).status).toBe('ready_for_payment')
    expect(checkout.intentsOf(id).map(({ status }) => status)).toEqual(['canceled'])
  })

  const comeBack = (query: string) => checkout.shop.app.request(`/acp/returned${query}`)

  test('the bank sends the buyer back to one of our pages, where the payment is looked up at once', async () => {
    const id = await checkout.ready()
    await checkout.complete(id, pay('spt_3ds'))
    expect(checkout.stripe.requests.at(-1)?.parameters.return_url).toBe(
      'https://parley.example/acp/returned',
    )
    const [intent] = checkout.intentsOf(id)
    const early = await comeBack(`?payment_intent=${intent?.id}`)
    expect((await checkout.session(id)).status).toBe('authentication_required')
    checkout.stripe.authenticate(intent?.id ?? '')
    const late = await comeBack(`?payment_intent=${intent?.id}&redirect_status=succeeded`)
    expect((await checkout.session(id)).status).toBe('completed')
    expect([late.status, await late.text()]).toEqual([200, await early.text()])
  })

  test('the buyer, the bank and the agent at once: one order, one charge, nothing goes back', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await checkout.ready()
      await checkout.complete(id, pay('spt_3ds'))
      const [intent] = checkout.intentsOf(id)
      checkout.stripe.authenticate(intent?.id ?? '')
      await Promise.all([
        comeBack(`?payment_intent=${intent?.id}`),
        checkout.sendEvent('payment_intent.succeeded', intent?.id ?? ''),
        checkout.complete(id, pay('spt_3ds', proof)),
        checkout.complete(id, pay('spt_3ds', proof)),
        comeBack(`?payment_intent=${intent?.id}`),
        checkout.sendEvent('payment_intent.requires_action', intent?.id ?? ''),
      ])
      await checkout.shop.work()
      expect((await checkout.session(id)).status).toBe('completed')
      expect(checkout.intentsOf(id)).toHaveLength(1)
    }
    expect(checkout.stripe.refunds).toEqual([])
  })

  test('after a refusal by the bank, the session can be paid in another way', async () => {
    const id = await checkout.ready()
    await checkout.complete(id, pay('spt_3ds'))
    const [intent] = checkout.intentsOf(id)
    Object.assign(intent ?? {}, { status: 'requires_payment_method' })
    await comeBack(`?payment_intent=${intent?.id}`)
    expect(await checkout.session(id)).toMatchObject({
      status: 'ready_for_payment',
      messages: [{ code: 'payment_declined' }],
    })
  })

  test('unverified claims about it change nothing, nor does an unreachable provider', async () => {
    const id = await checkout.ready()
    await checkout.complete(id, pay('spt_3ds'))
    const [intent] = checkout.intentsOf(id)
    checkout.stripe.failWith(500, 1)
    for (const query of [
      `?payment_intent=${intent?.id}&redirect_status=succeeded`,
      '?payment_intent=pi_of_others',
      '?payment_intent=%00',
      '',
    ])
      expect((await comeBack(query)).status).toBe(200)
    expect((await checkout.session(id)).status).toBe('authentication_required')
  })

  test.each([
    ['sk_live_x', 'http://parley.example', undefined],
    ['sk_live_x', 'https://parley.example/shop', 'https://parley.example/shop/acp/returned'],
    ['sk_test_x', 'http://parley.example', 'http://parley.example/acp/returned'],
    ['sk_test_x', '', 'http://localhost:8123/acp/returned'],
  ])('with %s at %j the buyer returns to %j', async (key, baseUrl, address) => {
    const environment = { STRIPE_SECRET_KEY: key, BASE_URL: baseUrl, PORT: '8123' }
    const own = await openStripeCheckout(open, environment)
    await own.complete(await own.ready())
    const [created] = own.stripe.requests
    expect(created?.parameters.return_url).toBe(address)
    await own.stripe.stop()
  })
})
