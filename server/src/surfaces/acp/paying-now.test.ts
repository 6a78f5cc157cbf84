import { afterAll, beforeAll, expect, test } from 'vitest'
import { dialects, pay, proof } from '#test/support/commerce/checkout-states.ts'
import { buyer, describeShop, sessionOf, strict, type Shop } from '#test/support/commerce/shop.ts'
import { openStripeCheckout, type StripeCheckout } from '#test/support/commerce/stripe-checkout.ts'

describeShop('a buyer is charged only as they asked', (open) => {
  let checkout: StripeCheckout
  let shop: Shop

  beforeAll(async () => {
    checkout = await openStripeCheckout(open)
    shop = checkout.shop
  })
  afterAll(() => checkout.stripe.stop())

  async function refusal(id: string, body: object, dialect: (typeof dialects)[number]) {
    const headers = dialect === 'strict' ? strict() : {}
    const response = await checkout.complete(id, body, headers)
    // An object in both dialects; the plain one has all of it under `error`.
    const said = (await response.json()) as Readonly<Record<string, object | undefined>>
    return { status: response.status, ...said, ...said.error }
  }

  test.each(
    dialects.flatMap((dialect) =>
      [
        { payment_terms: 'net_30' },
        { due_date: '2027-01-01T00:00:00Z' },
        { approval_required: true },
      ].map((terms) => [dialect, terms] as const),
    ),
  )(
    '%s: a buyer who asks to pay later or on approval (%j) is not charged now',
    async (dialect, terms) => {
      const id = await checkout.ready()
      const [field] = Object.keys(terms)
      const { payment_data } = pay()
      expect(
        await refusal(id, { payment_data: { ...payment_data, ...terms } }, dialect),
      ).toMatchObject({
        status: 400,
        code: 'unsupported',
        message: `payment_data.${field}: orders are paid at once here; pay now, with one of the handlers`,
        ...(dialect === 'strict' ? { param: `$.payment_data.${field}` } : {}),
      })
      expect(checkout.intentsOf(id)).toEqual([])
      const now = {
        payment_terms: 'immediate',
        approval_required: false,
        purchase_order_number: '7',
      }
      const paid = checkout.complete(id, { payment_data: { ...payment_data, ...now } })
      expect((await sessionOf(paid)).status).toBe('completed')
    },
  )

  test.each(['three_ds_cryptogram', 'transaction_id', 'version', null])(
    'a proof of authentication without its %s is refused, and the charge still waits for it',
    async (absent) => {
      const id = await checkout.ready()
      await checkout.complete(id, pay('spt_3ds'))
      const { outcome, outcome_details } = proof.authentication_result
      const param = '$.authentication_result.outcome_details'
      const broken =
        absent === null
          ? { outcome }
          : { outcome, outcome_details: { ...outcome_details, [absent]: undefined } }
      const answer = await refusal(id, pay('spt_3ds', { authentication_result: broken }), 'strict')
      expect(answer).toMatchObject({
        status: 400,
        code: 'missing',
        param: absent === null ? param : `${param}.${absent}`,
      })
      expect((await checkout.session(id)).status).toBe('authentication_required')
      expect((await sessionOf(checkout.complete(id, pay('spt_3ds', proof)))).status).toBe(
        'completed',
      )
    },
  )

  test.each(['denied', 'rejected', 'canceled', 'abandoned'])(
    'an authentication that was %s is not charged, even if no charge waits for it',
    async (outcome) => {
      const id = await checkout.ready()
      const refused = pay('spt_good', { authentication_result: { outcome } })
      expect(await sessionOf(checkout.complete(id, refused))).toMatchObject({
        status: 'ready_for_payment',
        messages: [{ code: 'payment_declined' }],
      })
      expect(checkout.intentsOf(id)).toEqual([])
      expect((await sessionOf(checkout.complete(id))).status).toBe('completed')
    },
  )

  test('a total that Stripe cannot charge exactly is not reported as a problem of the payment method', async () => {
    const { id: product } = await shop.product({ currency: 'kwd', price_amount: 1001 })
    const body = { currency: 'kwd', capabilities: {}, line_items: [{ id: product }], buyer }
    const { id } = await sessionOf(shop.post('/checkout_sessions', body, strict()))
    const declined = await sessionOf(checkout.complete(id))
    expect(declined).toMatchObject({
      status: 'ready_for_payment',
      messages: [{ code: 'payment_declined', content: expect.stringContaining('its prices') }],
    })
    expect(checkout.intentsOf(id)).toEqual([])
  })
})
