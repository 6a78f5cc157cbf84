import { Fault } from '#kernel/fault.ts'
import { purchaseFaults } from './purchase-faults.ts'

/** @throws Fault billing_unavailable for what the provider did, and anything else as it is */
export function asPurchaseFault(error: unknown): never {
  // Features import only the types of platform, so the class is told by its name.
  const isTheirs = error instanceof Error && error.name === 'BillingUnavailable'
  throw isTheirs ? new Fault(purchaseFaults.billing_unavailable, {}, { cause: error }) : error
}
