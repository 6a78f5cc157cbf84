import { defineFaults } from '#kernel/fault.ts'

export const travelFaults = defineFaults({
  /** Facts: `issues`, each with the path of what is wrong. */
  document_invalid: 'invalid',
  /** Facts: `version`, `known`. Made by a Parley that is newer than this one. */
  document_too_new: 'invalid',
  /** Facts: `bytes`, `limit_bytes`. */
  document_too_large: 'too_large',
  /** Facts: `limit_bytes`. What the agent knows is larger than what could be imported again. */
  knowledge_too_large: 'too_large',
  /** Facts: `allowed`. */
  too_many_products: 'conflict',
})
