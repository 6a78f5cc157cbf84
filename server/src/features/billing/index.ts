export { billingFaults } from './billing-faults.ts'
export { billingJobs } from './billing-jobs.ts'
export {
  beginLimitedTurn,
  bookUnstoredTurn,
  chargeOf,
  countLimitedTurn,
  entryOfTurn,
  type TurnCharge,
} from './book-turn.ts'
export { bookUsage } from './book-usage.ts'
export { capSubjects, everyEndUser, type Cap, type CapSubject } from './cap.ts'
export { assignPlan, changePlan } from './change-plan.ts'
export { costOfMessages } from './cost-of-messages.ts'
export { entryKinds, microsPerCredit, type Consumer, type Use } from './credit-entry.ts'
export { forgetEndUser } from './forget-end-user.ts'
export { getCredits, type Credits } from './get-credits.ts'
export { grantCredits } from './grant-credits.ts'
export { holdForUse } from './hold-for-use.ts'
export { listCreditTransactions, type CreditTransaction } from './list-credit-transactions.ts'
export { isOperator, requireOperator } from './operator.ts'
export { capPeriods, type CapPeriod } from './period.ts'
export { maxPriceMicros, type Price, type SetPrice } from './price.ts'
export { costOfUse } from './price-book.ts'
export { listCreditCaps, setCreditCap } from './set-credit-cap.ts'
export { listPrices, setPrice } from './set-price.ts'
export { TurnCredits } from './turn-credits.ts'
export { countUse } from './window-store.ts'
export { noteBillingEvent } from './note-billing-event.ts'
export { openBillingPortal, startCheckout } from './start-checkout.ts'
export { getSubscriptionPayment, type SubscriptionPayment } from './get-subscription-payment.ts'
export { wasSeen as wasBillingEventSeen } from './subscription-store.ts'
