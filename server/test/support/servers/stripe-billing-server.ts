import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server on loopback with the parts of Stripe Billing that selling plans and credits needs. */
export interface StripeBillingServer {
  readonly baseUrl: string
  readonly requests: readonly BillingRequest[]
  /** The buyer pays on the provider's page, or orders with a bank transfer that arrives later. */
  buy(checkoutUrl: string, options?: { readonly paid?: boolean }): Bought
  /** As if the buyer paid at the moment when the page is closed. */
  reopen(checkoutUrl: string): void
  /** Changes a subscription at the provider. */
  change(subscriptionId: string, change: Partial<StripeSubscription>): void
  /** Makes Stripe forget the subscription and the checkout with this id. */
  forget(id: string): void
  /** Refunds part of the ten euros that were paid in a checkout. */
  refund(session: StripeSession, amount: number): Refunded
  /** An event as Stripe sends it, by default now: its body and its signature header. */
  event(
    type: string,
    object: unknown,
    sentAt?: number,
  ): { readonly body: string; readonly signature: string }
  /** While true, every request fails. */
  isDown: boolean
  stop(): Promise<void>
}

export interface Bought {
  readonly session: StripeSession
  readonly subscription: StripeSubscription | null
}

export interface Refunded {
  readonly charge: StripeCharge
  readonly refund: StripeRefund
}

interface StripeCharge {
  readonly id: string
  readonly object: 'charge'
  readonly amount: number
  readonly payment_intent: string | null
}

interface StripeRefund {
  readonly id: string
  readonly object: 'refund'
  readonly charge: string
  readonly amount: number
  status: string
}

export interface BillingRequest {
  readonly method: string
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
  readonly idempotencyKey: string | undefined
}

export interface StripeSession {
  readonly id: string
  readonly object: 'checkout.session'
  readonly url: string
  readonly client_reference_id: string
  readonly mode: string
  readonly price: string
  readonly workspaceId: string
  /** open, complete, expired */
  status: string
  customer: string | null
  subscription: string | null
  payment_status: string
  payment_intent: string | null
}

export interface StripeSubscription {
  readonly id: string
  readonly object: 'subscription'
  readonly customer: string
  readonly metadata: Readonly<Record<string, string>>
  status: string
  cancel_at: number | null
  items: { readonly data: readonly StripeItem[] }
}

interface StripeItem {
  readonly id: string
  readonly price: { readonly id: string }
  readonly current_period_start: number
  readonly current_period_end: number
}

/** The error for a request that the current state does not allow. */
const refused = Symbol('refused')

export const billingWebhookSecret = 'whsec_billing_of_ours'

export function itemOf(price: string): StripeItem {
  const start = Date.parse('2026-01-02T00:00:00Z') / 1000
  const end = Date.parse('2026-02-02T00:00:00Z') / 1000
  return { id: 'si_1', price: { id: price }, current_period_start: start, current_period_end: end }
}

export async function startStripeBillingServer(): Promise<StripeBillingServer> {
  const sessions = new Map<string, StripeSession>()
  const subscriptions = new Map<string, StripeSubscription>()
  const charges = new Map<string, StripeCharge>()
  const refunds: StripeRefund[] = []
  const requests: BillingRequest[] = []
  let made = 0

  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing))

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await readRequest(incoming)
    requests.push(request)
    if (stripe.isDown) return send(outgoing, 500, { error: { type: 'api_error', message: 'down' } })
    const answer = answerTo(request)
    if (answer === refused) return send(outgoing, 400, { error: { type: 'invalid_request_error' } })
    if (answer !== null) return send(outgoing, 200, answer)
    const error = { type: 'invalid_request_error', code: 'resource_missing', message: 'missing' }
    send(outgoing, 404, { error })
  }

  function answerTo({ method, path, parameters }: BillingRequest): unknown {
    const [, , resource, second, third, fourth] = path.split('/')
    if (method === 'POST' && path === '/v1/checkout/sessions') return createSession(parameters)
    if (method === 'POST' && path === '/v1/billing_portal/sessions')
      return { object: 'billing_portal.session', url: `https://portal/${parameters.customer}` }
    if (path === '/v1/checkout/sessions') {
      const { payment_intent: paid } = parameters
      return listOf([...sessions.values()].filter((one) => one.payment_intent === paid))
    }
    if (path === '/v1/refunds')
      return listOf(refunds.filter(({ charge }) => charge === parameters.charge).toReversed())
    if (resource === 'charges') return charges.get(second ?? '') ?? null
    if (fourth === 'expire') return expire(sessions.get(third ?? ''))
    if (resource === 'checkout' && second === 'sessions') return sessions.get(third ?? '') ?? null
    const subscription = resource === 'subscriptions' ? subscriptions.get(second ?? '') : undefined
    if (method === 'DELETE' && subscription !== undefined) return cancel(subscription)
    return subscription ?? null
  }

  function expire(session: StripeSession | undefined): unknown {
    if (session?.status !== 'open') return session === undefined ? null : refused
    session.status = 'expired'
    return session
  }

  function cancel(subscription: StripeSubscription): unknown {
    if (subscription.status === 'canceled') return refused
    subscription.status = 'canceled'
    return subscription
  }

  function listOf(data: readonly unknown[]) {
    return { object: 'list', data, has_more: false }
  }

  function createSession(parameters: Readonly<Record<string, string>>): StripeSession {
    made += 1
    const id = `cs_${made}`
    const session: StripeSession = {
      id,
      object: 'checkout.session',
      url: `https://checkout/${id}`,
      client_reference_id: parameters.client_reference_id ?? '',
      mode: parameters.mode ?? '',
      price: parameters['line_items[0][price]'] ?? '',
      workspaceId: parameters['subscription_data[metadata][workspace_id]'] ?? '',
      status: 'open',
      customer: parameters.customer ?? null,
      subscription: null,
      payment_status: 'unpaid',
      payment_intent: null,
    }
    sessions.set(id, session)
    return session
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server listening on TCP has an address with a port.
  const { port } = server.address() as AddressInfo
  const stripe: StripeBillingServer = {
    isDown: false,
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    buy(checkoutUrl, { paid = true } = {}) {
      const session = sessions.get(checkoutUrl.split('/').at(-1) ?? '')
      if (session === undefined) throw new Error('no such checkout')
      if (session.status !== 'open') throw new Error('this checkout is closed')
      session.status = 'complete'
      session.customer ??= `cus_${session.id}`
      session.payment_status = paid ? 'paid' : 'unpaid'
      if (session.mode !== 'subscription') {
        session.payment_intent = `pi_${session.id}`
        return { session, subscription: null }
      }
      const subscription: StripeSubscription = {
        id: `sub_${session.id}`,
        object: 'subscription',
        customer: session.customer,
        metadata: { workspace_id: session.workspaceId },
        status: paid ? 'active' : 'incomplete',
        cancel_at: null,
        items: { data: [itemOf(session.price)] },
      }
      subscriptions.set(subscription.id, subscription)
      session.subscription = subscription.id
      return { session, subscription }
    },
    reopen(checkoutUrl) {
      const session = sessions.get(checkoutUrl.split('/').at(-1) ?? '')
      if (session !== undefined) session.status = 'open'
    },
    change(subscriptionId, change) {
      Object.assign(subscriptions.get(subscriptionId) ?? {}, change)
    },
    forget(id) {
      subscriptions.delete(id)
      sessions.delete(id)
    },
    refund({ id, payment_intent }, amount) {
      made += 1
      const charge: StripeCharge = {
        id: `ch_${id}`,
        object: 'charge',
        amount: 1_000,
        payment_intent,
      }
      charges.set(charge.id, charge)
      const refund: StripeRefund = {
        id: `re_${made}`,
        object: 'refund',
        charge: charge.id,
        amount,
        status: 'succeeded',
      }
      refunds.push(refund)
      return { charge, refund }
    },
    event(type, object, sentAt = Date.now()) {
      made += 1
      const body = JSON.stringify({ id: `evt_${made}`, object: 'event', type, data: { object } })
      const time = Math.floor(sentAt / 1000)
      const mac = createHmac('sha256', billingWebhookSecret).update(`${time}.${body}`).digest('hex')
      return { body, signature: `t=${time},v1=${mac}` }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  return stripe
}

async function readRequest(incoming: IncomingMessage): Promise<BillingRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer) // No encoding is set.
  const { 'idempotency-key': key } = incoming.headers
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://stripe')
  const posted = new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
  return {
    method: incoming.method ?? '',
    path: pathname,
    parameters: Object.fromEntries([...searchParams, ...posted]),
    idempotencyKey: typeof key === 'string' ? key : undefined,
  }
}

function send(outgoing: ServerResponse, status: number, body: unknown): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1' })
  outgoing.end(JSON.stringify(body))
}
