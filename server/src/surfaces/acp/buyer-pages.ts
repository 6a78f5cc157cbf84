import { html } from 'hono/html'
import { lookUpCharge } from '#features/checkout/index.ts'
import { getOrderByReceipt, type Order } from '#features/orders/index.ts'
import { formatMoney } from '#kernel/money.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { answerPage, type Html } from '#surfaces/http/page.ts'
import { minuteOf, timesScript } from '#surfaces/http/page-times.ts'
import { limitVisitor } from './callers.ts'

/**
 * GET /acp/{appId}/receipts/{key}: the order's permalink for the buyer. The page shows the items
 * and the status but nothing about the buyer, because people forward links.
 */
export async function getReceipt(ctx: Context, c: Http): Promise<Response> {
  await limitVisitor(ctx, c)
  const order = await getOrderByReceipt(ctx, c.req.param('appId') ?? '', c.req.param('key') ?? '')
  const title = `Order #${order.number}`
  return await answerPage(c, ctx.config, { title, body: receipt(order), script: timesScript })
}

function receipt(order: Order): Html {
  const { currency, totals } = order
  const money = (amountMinor: number) => formatMoney({ amountMinor, currency })
  return html`<h1>Order #${order.number}</h1>
    <p>Placed ${minuteOf(order.createdAt)}. Status: ${order.status}.</p>
    ${order.isTest ? html`<p role="note">This is a test order: no money has moved.</p>` : ''}
    <table>
      <thead>
        <tr>
          <th scope="col">Item</th>
          <th scope="col">Quantity</th>
          <th scope="col">Price</th>
        </tr>
      </thead>
      <tbody>
        ${order.lines.map(
          ({ title, quantity, subtotal }) =>
            html`<tr>
              <td>${title}</td>
              <td>${quantity}</td>
              <td>${money(subtotal)}</td>
            </tr>`,
        )}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" colspan="2">Total</th>
          <td>${money(totals.total)}</td>
        </tr>
      </tfoot>
    </table>
    ${order.fulfillments.map(({ carrier, trackingNumber }) =>
      trackingNumber === null ? '' : html`<p>Sent: ${carrier ?? ''} ${trackingNumber}</p>`,
    )}
    ${order.refunds.map(({ amountMinor, status }) =>
      status === 'failed' ? '' : html`<p>Refund of ${money(amountMinor)}: ${status}.</p>`,
    )}
    ${order.support.email === undefined ? '' : html`<p>Questions: ${order.support.email}</p>`}`
}

/**
 * GET /acp/returned: the page to which a bank returns the buyer's browser. Looks up the payment at
 * once, because the provider's webhook may be late. The page does not show the payment's status.
 */
export async function getReturned(ctx: Context, c: Http): Promise<Response> {
  await limitVisitor(ctx, c)
  const reference = c.req.query('payment_intent') ?? ''
  if (/^[\w-]{1,255}$/.test(reference))
    await lookUpCharge(ctx, reference).catch((error: unknown) => {
      ctx.log.warn({ err: error, reference }, 'a payment could not be looked up')
    })
  const body = html`<h1>Thank you</h1>
    <p>Go back to your assistant: it knows the status of your order. You can close this page.</p>`
  return await answerPage(c, ctx.config, { title: 'Thank you', body })
}
