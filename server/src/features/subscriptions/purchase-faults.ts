import { defineFaults } from '#kernel/fault.ts'

export const purchaseFaults = defineFaults({
  /** Nothing is sold here, or not this. Facts: `plan` or `credits`, where one was named. */
  not_for_sale: 'invalid',
  /** Facts: `plan`. The workspace pays for a plan already: the portal changes it. */
  subscribed_already: 'conflict',
  /** The workspace has never bought anything. */
  no_billing_account: 'conflict',
  billing_unavailable: 'unavailable',
})
