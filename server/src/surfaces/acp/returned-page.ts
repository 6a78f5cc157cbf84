import type { Context as HonoContext } from 'hono'
import { html } from 'hono/html'
import { lookUpCharge } from '#features/checkout/index.ts'
import type { Context } from '#platform/context.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { answerPage } from '#surfaces/http/page.ts'
import { limitVisitor } from './callers.ts'

/**
 * GET /acp/returned: where the buyer's browser comes back to from their bank. The payment is looked
 * up at once, so that nothing depends on the provider's call; the page says nothing of how it stands.
 */
export async function getReturned(
  ctx: Context,
  c: HonoContext<HttpEnvironment>,
): Promise<Response> {
  await limitVisitor(ctx, c)
  const reference = c.req.query('payment_intent') ?? ''
  if (/^[\w-]{1,255}$/.test(reference))
    await lookUpCharge(ctx, reference).catch((error: unknown) => {
      ctx.log.warn({ err: error, reference }, 'a payment could not be looked up')
    })
  const body = html`<h1>Thank you</h1>
    <p>Go back to your assistant: it tells you how your order stands. You can close this page.</p>`
  return await answerPage(c, ctx.config, { title: 'Thank you', body })
}
