import { defineFaults } from '#kernel/fault.ts'

export const knowledgeFaults = defineFaults({
  /** Facts: `bytes`, `limit_bytes`. */
  source_too_large: 'too_large',
  /** The text holds nothing but white space. */
  source_empty: 'invalid',
})
