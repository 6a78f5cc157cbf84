import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  failure,
  listOf,
  readRequest,
  send,
  type Reply,
  type StripeRequest,
} from './stripe-wire.ts'

/** A payment server on loopback with the parts of Stripe's API that a checkout needs. */
export interface StripeServer {
  readonly baseUrl: string
  readonly intents: ReadonlyMap<string, Intent>
  /** Every request in order: method, path, parameters, idempotency key. */
  readonly requests: readonly StripeRequest[]
  /**
   * The next requests are carried out, but their responses are withheld until the client gives up.
   */
  holdAnswers(count: number): void
  /** The clock for the dates of payments, in milliseconds. A test that moves its clock sets it. */
  now: () => number
  /** The delay of every response. The request is carried out before the delay. */
  answerMs: number
  /** Called at each stage of a request. It may end the request there. */
  watch: (moment: StripeMoment) => Promise<'continue' | 'disconnect'>
  /** Requests that are read or carried out and not yet answered. */
  answering(): number
  /** The next requests fail in this way and are not carried out. */
  failWith(status: number, count: number): void
  /** The buyer authenticates on the provider's page. */
  authenticate(intentId: string): void
  readonly refunds: readonly Refund[]
  /** The status of refunds that are created from now on. */
  refundStatus: string
  /**
   * An event about an intent or a refund, as Stripe sends it: its body and its signature header.
   */
  event(type: string, id: string): { body: string; signature: string }
  stop(): Promise<void>
}

/**
 * `connected`: nothing was read yet. `asked`: the request was read but not carried out. `charged`:
 * it was carried out but not answered. `answered`: the whole response was sent.
 */
export type StripeMoment = 'connected' | 'asked' | 'charged' | 'answered'

export interface Intent {
  readonly id: string
  readonly object: 'payment_intent'
  status: string
  readonly amount: number
  readonly currency: string
  readonly metadata: Record<string, string>
  created: number
  next_action: unknown
  last_payment_error: unknown
  cancellation_reason: string | null
}

export interface Refund {
  readonly id: string
  readonly object: 'refund'
  status: string
  failure_reason?: string
  readonly amount: number
  readonly metadata: Record<string, string>
}

/** The action that Stripe requires from the buyer, by payment token. */
const nextActions: Readonly<Record<string, unknown>> = {
  spt_3ds: { type: 'redirect_to_url', redirect_to_url: { url: 'https://bank.example/3ds' } },
  spt_3ds_app: {
    type: 'cashapp_handle_redirect_or_display_qr_code',
    cashapp_handle_redirect_or_display_qr_code: {
      hosted_instructions_url: 'https://app.example/pay',
      qr_code: { image_url_png: 'https://app.example/qr' },
    },
  },
  spt_3ds_sdk: { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } },
}

export const webhookSecret = 'whsec_test_of_ours'

export async function startStripeServer(): Promise<StripeServer> {
  const intents = new Map<string, Intent>()
  const replies = new Map<string, { readonly asked: string; readonly reply: Reply }>()
  const refunds: Refund[] = []
  const greetings = new WeakMap<Socket, Promise<boolean>>()
  const requests: StripeRequest[] = []
  let toHold = 0
  let failing = { status: 0, count: 0 }
  let made = 0
  let answering = 0

  const server = createServer((incoming, outgoing) => {
    answering += 1
    void serve(incoming, outgoing).finally(() => (answering -= 1))
  })
  server.on('connection', (socket) => greetings.set(socket, greet(socket)))

  /** @returns whether the connection has ended */
  async function greet(socket: Socket): Promise<boolean> {
    socket.pause()
    const isOver = (await stripe.watch('connected')) === 'disconnect'
    if (isOver) socket.destroy()
    else socket.resume()
    return isOver
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    // The HTTP parser reads data that has already arrived, paused or not.
    if (await greetings.get(incoming.socket)) return
    const request = await readRequest(incoming)
    if (request === null) return
    requests.push(request)
    const hangsUp = async (moment: StripeMoment) => {
      const isOver = (await stripe.watch(moment)) === 'disconnect'
      if (isOver) outgoing.destroy()
      return isOver
    }
    if (await hangsUp('asked')) return
    if (failing.count > 0) {
      failing = { ...failing, count: failing.count - 1 }
      send(outgoing, { status: failing.status, body: { error: { type: 'api_error' } } })
      return
    }
    const reply = replyTo(request)
    if (toHold > 0) {
      toHold -= 1
      return // The client disconnects when its request times out.
    }
    if (stripe.answerMs > 0) await sleep(stripe.answerMs)
    if (await hangsUp('charged')) return
    outgoing.once('finish', () => void stripe.watch('answered'))
    send(outgoing, reply)
  }

  /**
   * https://docs.stripe.com/api/idempotent_requests: returns the first response again for the same
   * body.
   */
  function replyTo(request: StripeRequest): Reply {
    const { idempotencyKey: key, path, parameters } = request
    if (key === undefined) return carryOut(request)
    const asked = JSON.stringify([path, parameters])
    const known = replies.get(key)
    if (known !== undefined)
      return known.asked === asked ? known.reply : failure(400, 'in_use', 'idempotency_error')
    const reply = carryOut(request)
    replies.set(key, { asked, reply })
    return reply
  }

  function carryOut({ method, path, parameters }: StripeRequest): Reply {
    const [, intentId, action] = /^\/v1\/payment_intents\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? []
    if (method === 'POST' && path === '/v1/payment_intents') return create(parameters)
    if (method === 'GET' && path === '/v1/payment_intents')
      return listOf(madeWithin(parameters), path)
    if (method === 'POST' && path === '/v1/refunds') return refund(parameters)
    if (method === 'GET' && path === '/v1/refunds') return listOf(refunds, path)
    const known = refunds.find(({ id }) => path === `/v1/refunds/${id}`)
    if (method === 'GET' && known !== undefined) return { status: 200, body: known }
    const intent = intentId === undefined ? undefined : intents.get(intentId)
    if (intent === undefined) return failure(404, 'resource_missing')
    if (action === 'cancel') return cancel(intent)
    if (action === 'confirm') return confirm(intent, parameters)
    return { status: 200, body: intent }
  }

  function madeWithin({ 'created[gte]': from, 'created[lte]': to }: StripeRequest['parameters']) {
    const all = [...intents.values()].toReversed()
    return all.filter(({ created }) => created >= Number(from) && created <= Number(to))
  }

  function create(parameters: Readonly<Record<string, string>>): Reply {
    made += 1
    const token = parameters['payment_method_data[shared_payment_granted_token]'] ?? ''
    const intent: Intent = {
      id: `pi_${made}`,
      object: 'payment_intent',
      status: 'succeeded',
      amount: Number(parameters.amount),
      currency: String(parameters.currency),
      metadata: {
        payment_id: parameters['metadata[payment_id]'] ?? '',
        session_id: parameters['metadata[session_id]'] ?? '',
      },
      created: Math.floor(stripe.now() / 1000),
      next_action: null,
      last_payment_error: null,
      cancellation_reason: null,
    }
    intents.set(intent.id, intent)
    if (token === 'spt_used') {
      intents.delete(intent.id)
      return failure(400, 'token_already_used')
    }
    if (token === 'spt_decline') {
      intent.status = 'requires_payment_method'
      const error = {
        type: 'card_error',
        code: 'card_declined',
        decline_code: 'insufficient_funds',
      }
      intent.last_payment_error = error
      return { status: 402, body: { error: { ...error, message: 'No.', payment_intent: intent } } }
    }
    const action = nextActions[token]
    if (action !== undefined) {
      intent.status = 'requires_action'
      intent.next_action = action
    }
    return { status: 200, body: intent }
  }

  function confirm(intent: Intent, parameters: Readonly<Record<string, string>>): Reply {
    const proof = parameters['payment_method_options[card][three_d_secure][cryptogram]']
    if (intent.status !== 'requires_action') return failure(400, 'payment_intent_unexpected_state')
    if (proof !== undefined) intent.status = 'succeeded'
    return { status: 200, body: intent }
  }

  function cancel(intent: Intent): Reply {
    if (intent.status === 'succeeded') return failure(400, 'payment_intent_unexpected_state')
    intent.status = 'canceled'
    return { status: 200, body: intent }
  }

  function refund(parameters: Readonly<Record<string, string>>): Reply {
    const intent = intents.get(parameters.payment_intent ?? '')
    if (intent?.status !== 'succeeded') return failure(400, 'charge_not_refundable')
    const made: Refund = {
      id: `re_${intent.id}_${refunds.length}`,
      object: 'refund',
      status: stripe.refundStatus,
      amount: Number(parameters.amount),
      metadata: { refund_id: parameters['metadata[refund_id]'] ?? '' },
    }
    refunds.push(made)
    // A copy of the current state: a repeated request with its key gets the same response, even if
    // the object changed since.
    return { status: 200, body: { ...made } }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server listening on TCP has an address with a port.
  const { port } = server.address() as AddressInfo
  const stripe: StripeServer = {
    now: () => Date.now(),
    answerMs: 0,
    refunds,
    refundStatus: 'succeeded',
    watch: () => Promise.resolve('continue'),
    baseUrl: `http://127.0.0.1:${port}`,
    intents,
    requests,
    answering: () => answering,
    holdAnswers(count) {
      toHold = count
    },
    failWith(status, count) {
      failing = { status, count }
    },
    authenticate(intentId) {
      const intent = intents.get(intentId)
      if (intent !== undefined) intent.status = 'succeeded'
    },
    event(type, id) {
      const object = intents.get(id) ?? refunds.find((refund) => refund.id === id)
      const body = JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } })
      const time = Math.floor(Date.now() / 1000)
      const mac = createHmac('sha256', webhookSecret).update(`${time}.${body}`).digest('hex')
      return { body, signature: `t=${time},v1=${mac}` }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  return stripe
}
