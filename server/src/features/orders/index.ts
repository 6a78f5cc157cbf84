export { fulfillOrder } from './fulfill-order.ts'
export { getOrder, getOrderByReceipt, getOrderOfShop, listOrders } from './list-orders.ts'
export { orderDocument } from './order-document.ts'
export { queueOrderEvent } from './order-events.ts'
export { orderFaults } from './order-faults.ts'
export { findOrder, findOrderOfAgent } from './order-store.ts'
export {
  orderFromRow,
  orderStatuses,
  progressOf,
  refundedMinor,
  type Order,
  type OrderRefund,
} from './order.ts'
export { placeOrder } from './place-order.ts'
export { publicUrl } from './public-url.ts'
export { requireOrder } from './require-order.ts'
export { saveOrder } from './save-order.ts'
