export { queueOrderEvent, requireOrder, saveOrder } from './change-order.ts'
export { fulfillOrder } from './fulfill-order.ts'
export { getOrder, getOrderByReceipt, getOrderOfShop, listOrders } from './list-orders.ts'
export { orderDocument, publicUrl } from './order-document.ts'
export { orderFaults } from './order-faults.ts'
export { findOrder, findOrderOfAgent, type Seller } from './order-store.ts'
export {
  orderFromRow,
  orderStatuses,
  progressOf,
  refundedMinor,
  type Order,
  type OrderRefund,
} from './order.ts'
export { placeOrder } from './place-order.ts'
