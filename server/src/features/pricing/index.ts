export {
  buyer,
  fulfillmentDetails,
  type Address,
  type Buyer,
  type FulfillmentDetails,
} from './buyer.ts'
export {
  mergeItems,
  type CartItem,
  type Choices,
  type ChoicesPatch,
  type DeliveryType,
  type OptionChoice,
  type Selection,
} from './choices.ts'
export { makeQuote } from './make-quote.ts'
export type { Message, MessageCode } from './message.ts'
export {
  isReady,
  type FulfillmentOption,
  type Quote,
  type QuoteLine,
  type QuoteTotals,
} from './quote.ts'
export { lineTotalsDocument, totalsDocument } from './totals-document.ts'
