import { deliverWebhook } from '#features/webhooks/index.ts'
import { upsertProduct } from '#features/catalog/index.ts'
import { createJobs } from '#platform/jobs/create-jobs.ts'
import { createJobRunner } from '#platform/jobs/job-runner.ts'
import { createPayments } from '#platform/payments/create-payments.ts'
import { serviceOn, type SignInService } from '#test/support/identity/sign-in-service.ts'
import type { StripeServer } from '#test/support/servers/stripe-server.ts'
import type { Tenant } from '#test/tenancy/tenant.ts'
import { textsOf } from './planted-secrets.ts'

/** What buyers' agents pay with. */
export const credentials = {
  paymentToken: 'spt_planted_paying_6071829a',
  refusedPaymentToken: 'spt_planted_refused_718293ab',
}

interface Ports {
  readonly service: SignInService
  readonly tenant: Tenant
  readonly stripe: StripeServer
  /** A payment server that quotes what it refuses. */
  readonly echo: string
  /** Keeps the answer to a payment that failed. */
  onRefusal(text: string): void
}

/**
 * Pays for a priced session and notifies the order webhook; another session's payment is refused.
 *
 * @returns what the database contained while the outcome of the payment was unknown
 */
export async function plantPayment(ports: Ports) {
  const { service, tenant, stripe } = ports
  const { appId, workspaceId } = tenant
  const goods = { name: 'Priced', price_amount: 1250, fulfillment_type: 'none' } as const
  const { id: product_id } = await upsertProduct(service.ctx, workspaceId, appId, goods)
  const carts = `/acp/${appId}/checkout_sessions`
  const post = async (at: SignInService, path: string, body: object, key = '') => {
    const headers = { authorization: `Bearer ${tenant.acpKey}` }
    const repeatable = key === '' ? headers : { ...headers, 'idempotency-key': key }
    const response = await at.post(path, body, repeatable)
    return { status: response.status, text: await response.text() }
  }
  const complete = async (at: SignInService, token: string) => {
    const opened = await post(at, carts, { line_items: [{ product_id, quantity: 1 }] })
    const { id } = JSON.parse(opened.text) as { id: string } // A session.
    const buyer = { email: 'buyer@example.com', first_name: 'B', last_name: 'C' }
    const body = { buyer, payment_data: { instrument: { credential: { token } } } }
    return () => post(at, `${carts}/${id}/complete`, body, `complete-${id}`)
  }

  const pay = await complete(service, credentials.paymentToken)
  stripe.failWith(500, 1)
  const unknown = await pay()
  const waiting = await textsOf(service.ctx.db)
  const paid = await pay()
  if (unknown.status !== 503 || paid.status !== 200)
    throw new Error(`the payment was answered ${unknown.status}, then ${paid.status}: ${paid.text}`)
  ports.onRefusal(unknown.text)

  const payments = createPayments({ ...service.ctx.config, stripeApiBase: ports.echo })
  const careless = await serviceOn({ ...service, ctx: { ...service.ctx, payments } }, service.ada)
  const refused = await (await complete(careless, credentials.refusedPaymentToken))()
  if (refused.text.includes('"completed"')) throw new Error('the refused payment was accepted')
  ports.onRefusal(refused.text)

  const runner = createJobRunner(service.ctx, createJobs(service.ctx.clock), [deliverWebhook])
  if ((await runner.runDue()) === 0) throw new Error('no webhook was due')
  await runner.stop()
  return waiting
}
