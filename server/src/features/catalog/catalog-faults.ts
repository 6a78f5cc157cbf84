import { defineFaults, withFacts } from '#kernel/fault.ts'

export const catalogFaults = defineFaults({
  /** No live agent has this id. */
  shop_not_found: 'not_found',
  sku_taken: withFacts<{ sku: string }>('conflict'),
  /** A new product needs the field. */
  product_field_missing: withFacts<{ field: string }>('invalid'),
  /** Other changes of the same products came before the import, every time that it was tried. */
  products_changed: 'conflict',
  /** The settings are no longer those that the change is based on. */
  commerce_settings_changed: 'conflict',
  /** Each of `lines` is a line number and its problem. */
  csv_invalid: withFacts<{ lines: readonly string[] }>('invalid'),
})
