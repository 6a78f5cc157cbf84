import { defineFaults } from '#kernel/fault.ts'

export const catalogFaults = defineFaults({
  /** No live agent has this id. */
  shop_not_found: 'not_found',
  /** Facts: `sku`. */
  sku_taken: 'conflict',
  /** Facts: `field`; a new product needs it. */
  product_field_missing: 'invalid',
  /** Facts: `lines`, each with its number and what is wrong. */
  csv_invalid: 'invalid',
})
