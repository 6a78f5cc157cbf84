import type { Context as HonoContext } from 'hono'
import { html } from 'hono/html'
import { lookUpCharge } from '#features/checkout/index.ts'
import type { Context } from '#platform/context.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { answerPage } from '#surfaces/http/page.ts'
import { limitVisitor } from './callers.ts'

/**
 * GET /acp/returned: where a bank sends the buyer's browser back to. Looks the payment up at once,
 * so as not to depend on the provider's webhook. The page does not say how the payment stands.
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
