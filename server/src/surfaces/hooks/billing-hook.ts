import { Hono } from 'hono'
import { noteBillingEvent, wasBillingEventSeen } from '#features/subscriptions/index.ts'
import type { Context } from '#platform/context.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { maxBytes, readAtMost } from './read-at-most.ts'

/** What the provider of plans and credits calls: see `hooksSurface`. */
export function billingHook(ctx: Context): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.post('/hooks/billing/:provider', async (c) => {
    const { billing, db, clock } = ctx
    if (billing === null || c.req.param('provider') !== billing.provider)
      return c.json({ error: 'Not found' }, 404)
    const body = await readAtMost(c.req.raw, maxBytes)
    if (body === null) return c.json({ error: 'Request body too large' }, 413)
    const askedAt = clock.now()
    const isKnown = (eventId: string) => wasBillingEventSeen(db.read, eventId)
    try {
      const event = await billing.readEvent(body, c.req.header('stripe-signature'), isKnown)
      if (event !== null) await noteBillingEvent(ctx, event, askedAt)
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'BadBillingEvent') throw error
      ctx.log.warn({ err: error }, 'a billing event was refused')
      return c.json({ error: 'Invalid signature' }, 400)
    }
    return c.json({ received: true })
  })
  return app
}
