export { paymentFaults } from './payment-faults.ts'
export {
  findByReference,
  findPayment,
  insertPayment,
  updatePayment,
  type PaymentRow,
} from './payment-store.ts'
export { cancelOrder, refundOrder } from './refund-order.ts'
export { beginRefund, settleRefund, settleRefundInDoubt } from './refund.ts'
export { askForCharge, isAskable, type SealedRequest } from './sealed-request.ts'
export { settleGraceMs, untilKnown } from './settling.ts'
