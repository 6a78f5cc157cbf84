import { createHmac } from 'node:crypto'
import { hourMs, minuteMs } from '#kernel/durations.ts'
import { defineJob, type JobResult } from '#kernel/job.ts'
import { tallies } from '#kernel/tallies.ts'
import type { Context } from '#platform/context.ts'
import { deliverWebhookTicket } from './queue-delivery.ts'
import { addressOf } from './stored-address.ts'
import { findDeliveryJob, findEndpoint, updateDelivery, type DeliveryRow } from './webhook-store.ts'

/** The pauses between attempts: after the last one a delivery has failed. */
const pausesMs = [
  minuteMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  6 * hourMs,
  12 * hourMs,
  24 * hourMs,
]

/**
 * `Merchant-Signature` of the protocol: HMAC-SHA256 over the time in Unix seconds, a dot and the
 * body as it is sent.
 */
export function merchantSignature(secret: string, body: string, unixSeconds: number): string {
  const mac = createHmac('sha256', secret).update(`${unixSeconds}.${body}`).digest('hex')
  return `t=${unixSeconds},v1=${mac}`
}

export const deliverWebhook = defineJob({
  ...deliverWebhookTicket,
  async run(ctx: Context, { deliveryId }, { signal }): Promise<JobResult> {
    const delivery = await findDeliveryJob(ctx.db.read, deliveryId)
    if (delivery?.status !== 'pending') return undefined
    const reply = await send(ctx, delivery, signal)
    // Aborted because the service stops: this does not count as an attempt.
    if (signal.aborted && reply.status === null) return { runAgainAt: ctx.clock.now() }
    return await noteReply(ctx, delivery, reply)
  },
})

interface Reply {
  readonly status: number | null
  readonly error: string | null
}

const endpointRemoved: Reply = { status: null, error: 'the endpoint was removed' }

async function send(ctx: Context, delivery: DeliveryRow, signal: AbortSignal): Promise<Reply> {
  const endpoint = await findEndpoint(ctx.db.read, delivery.workspace_id, delivery.endpoint_id)
  if (endpoint === undefined) return endpointRemoved
  const now = ctx.clock.now()
  const secret = ctx.vault.open(endpoint.secret_sealed)
  const { payload, id } = delivery
  try {
    const { status } = await ctx.outbound.request(addressOf(ctx.vault, endpoint), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Merchant-Signature': merchantSignature(secret, payload, Math.floor(now / 1000)),
        Timestamp: new Date(now).toISOString(),
        // The same in every attempt, so that the receiver can recognise a repetition.
        'Request-Id': id,
      },
      body: payload,
      maxRedirects: 0,
      maxBytes: 65_536,
      signal,
    })
    return { status, error: null }
  } catch (error) {
    ctx.log.debug({ err: error, deliveryId: id }, 'a webhook could not be delivered')
    // One error for every cause: the difference would turn this service into a scanner of its own
    // network.
    return { status: null, error: 'the endpoint could not be reached' }
  }
}

async function noteReply(ctx: Context, delivery: DeliveryRow, reply: Reply): Promise<JobResult> {
  const now = ctx.clock.now()
  const attempts = delivery.attempts + 1
  const isDelivered = reply.status !== null && reply.status >= 200 && reply.status < 300
  tallies.webhooks.add(isDelivered ? 'delivered' : 'failed')
  const pause = reply === endpointRemoved ? undefined : pausesMs[attempts - 1]
  const next = isDelivered || pause === undefined ? null : now + pause
  const ended = isDelivered ? 'delivered' : 'failed'
  await ctx.db.write((tx) =>
    updateDelivery(tx, delivery.id, {
      status: next === null ? ended : 'pending',
      attempts,
      response_status: reply.status,
      error: isDelivered ? null : (reply.error ?? `the endpoint answered ${reply.status}`),
      next_attempt_at: next,
      delivered_at: isDelivered ? now : null,
    }),
  )
  return next === null ? undefined : { runAgainAt: next }
}
