export { billingFaults } from './billing-faults.ts'
export { billingJobs } from './billing-jobs.ts'
export { bookCredit } from './book-credit.ts'
export {
  beginLimitedTurn,
  bookUnstoredTurn,
  chargeOf,
  countLimitedTurn,
  entryOfTurn,
  type TurnCharge,
} from './book-turn.ts'
export { bookUsage } from './book-usage.ts'
export { capSubjects, everyEndUser, type Cap } from './cap.ts'
export { applyPlan, assignPlan, changePlan } from './change-plan.ts'
export { costOfMessages } from './cost-of-messages.ts'
export { entryKinds, microsPerCredit } from './credit-entry.ts'
export { forgetEndUser } from './forget-end-user.ts'
export { getCredits, type Credits } from './get-credits.ts'
export { grantCredits } from './grant-credits.ts'
export { holdForUse } from './hold-for-use.ts'
export { listCreditTransactions, type CreditTransaction } from './list-credit-transactions.ts'
export { isOperator } from './operator.ts'
export { capPeriods } from './period.ts'
export { findPlan } from './plan-store.ts'
export { maxPriceMicros, type SetPrice } from './prices/price.ts'
export { costOfUse } from './prices/price-book.ts'
export { listCreditCaps, setCreditCap } from './set-credit-cap.ts'
export { listPrices, setPrice } from './set-price.ts'
export { TurnCredits } from './turn-credits.ts'
export { countUse } from './window-store.ts'
