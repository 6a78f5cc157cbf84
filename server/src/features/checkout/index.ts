export { address, buyer, fulfillmentDetails, type Address, type Buyer } from './pricing/buyer.ts'
export type { ShopCaller } from './caller.ts'
export { cancelCheckout, type IntentTrace } from './cancel-session.ts'
export { checkoutFaults } from './checkout-faults.ts'
export { checkoutJobs } from './checkout-jobs.ts'
export type { CheckoutSession } from './checkout-session.ts'
export { checkoutMoves, checkoutStatuses, type CheckoutStatus } from './checkout-status.ts'
export type { DeliveryType, OptionChoice } from './pricing/choices.ts'
export { completeCheckout, type Completion } from './complete-session.ts'
export { createCheckout, type NewCheckout, type RequestedItem } from './create-session.ts'
export { merchantSignature } from './deliver-webhook.ts'
export { fulfillOrder } from './fulfill-order.ts'
export { getCheckout } from './get-session.ts'
export { refuseOnce, type Answer, type RepeatableRequest } from './idempotency.ts'
export {
  getOrder,
  getOrderByReceipt,
  getOrderOfShop,
  listOrders,
  orderWorkspace,
} from './list-orders.ts'
export type { Message, MessageCode } from './pricing/message.ts'
export { lookUpCharge, notePaymentEvent } from './note-payment-event.ts'
export { orderDocument } from './order-document.ts'
export { orderStatuses, refundedMinor, type Order } from './order.ts'
export { publicUrl } from './public-url.ts'
export type { FulfillmentOption, Quote, QuoteLine } from './pricing/quote.ts'
export { cancelOrder, refundOrder } from './refund-order.ts'
export { lineTotalsDocument, totalsDocument } from './pricing/totals-document.ts'
export { updateCheckout, type CheckoutChange } from './update-session.ts'
export {
  listWebhookDeliveries,
  redeliverWebhook,
  webhookDeliveryWorkspace,
  type WebhookDelivery,
} from './webhook-deliveries.ts'
export {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  webhookEndpointWorkspace,
  type WebhookEndpoint,
} from './webhook-endpoints.ts'
