import { Hono } from 'hono'
import { notePaymentEvent } from '#features/checkout/index.ts'
import type { Context } from '#platform/context.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { billingHook } from './billing-hook.ts'
import { maxBytes, readAtMost } from './read-at-most.ts'

/**
 * What the providers of payments and of billing call. They repeat a call until it is answered 2xx:
 * what cannot be read is refused, what cannot be stored is an error, and everything else is thanked
 * for.
 */
export function hooksSurface(ctx: Context): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  app.post('/hooks/payments/:provider', async (c) => {
    if (c.req.param('provider') !== ctx.payments.provider)
      return c.json({ error: 'Not found' }, 404)
    const body = await readAtMost(c.req.raw, maxBytes)
    if (body === null) return c.json({ error: 'Request body too large' }, 413)
    const signature = c.req.header('stripe-signature')
    try {
      const event = await ctx.payments.readEvent(body, signature)
      if (event !== null) await notePaymentEvent(ctx, event)
    } catch (error) {
      if (error instanceof Error && error.name === 'BadPaymentEvent') {
        ctx.log.warn({ err: error }, 'a payment event was refused')
        return c.json({ error: 'Invalid signature' }, 400)
      }
      throw error
    }
    return c.json({ received: true })
  })
  app.route('/', billingHook(ctx))
  app.onError((error, c) => {
    ctx.log.error({ err: error }, 'an event of a provider could not be noted')
    return c.json({ error: 'Internal Server Error' }, 500)
  })
  return app
}
