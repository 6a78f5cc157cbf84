import { Hono } from 'hono'
import { notePaymentEvent } from '#features/checkout/index.ts'
import { noteBillingEvent, wasBillingEventSeen } from '#features/subscriptions/index.ts'
import { isFault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { readText } from '#surfaces/http/api-request.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { requestFaults } from '#surfaces/http/request-faults.ts'

/**
 * Endpoints for the events of the payment and billing providers, which repeat an event until the
 * answer is 2xx. An unreadable event is refused, one that cannot be stored is an error, and every
 * other event is accepted.
 */
export function hooksSurface(ctx: Context): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.post('/hooks/payments/:provider', (c) =>
    receive(ctx, c, ctx.payments.provider, async (body, signature) => {
      const event = await ctx.payments.readEvent(body, signature)
      if (event !== null) await notePaymentEvent(ctx, event)
    }),
  )
  app.post('/hooks/billing/:provider', (c) => {
    const { billing, db, clock } = ctx
    return receive(ctx, c, billing?.provider, async (body, signature) => {
      const askedAt = clock.now()
      const isKnown = (eventId: string) => wasBillingEventSeen(db.read, eventId)
      const event = await billing?.readEvent(body, signature, isKnown)
      if (event) await noteBillingEvent(ctx, event, askedAt)
    })
  })
  app.onError((error, c) => {
    ctx.log.error({ err: error }, 'a provider event could not be stored')
    return c.json({ error: 'Internal Server Error' }, 500)
  })
  return app
}

async function receive(
  { log }: Pick<Context, 'log'>,
  c: Http,
  provider: string | undefined,
  note: (body: string, signature: string | undefined) => Promise<void>,
): Promise<Response> {
  if (c.req.param('provider') !== provider) return c.json({ error: 'Not found' }, 404)
  try {
    await note(await readText(c.req, maxBytes), c.req.header('stripe-signature'))
  } catch (error) {
    if (isFault(error, requestFaults.body_too_large))
      return c.json({ error: 'Request body too large' }, 413)
    const isBad = error instanceof Error && error.name === 'BadProviderEvent'
    if (!isBad) throw error
    log.warn({ err: error, provider }, 'a provider event was refused')
    return c.json({ error: 'Invalid signature' }, 400)
  }
  return c.json({ received: true })
}

/** Events are small; the providers' own limit is far below this. */
const maxBytes = 1024 * 1024
