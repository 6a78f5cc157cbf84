import { defineFaults } from '#kernel/fault.ts'

export const ingestionFaults = defineFaults({
  /** Facts: `bytes`, `limit_bytes`. */
  source_too_large: 'too_large',
  /** It holds nothing but white space, or nothing that can be read: pictures of text, say. */
  source_empty: 'invalid',
  /** Facts: `known`, the endings of what can be read. */
  source_format_unknown: 'invalid',
  source_address_invalid: 'invalid',
})
