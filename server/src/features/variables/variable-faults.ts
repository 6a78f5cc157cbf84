import { defineFaults } from '#kernel/fault.ts'

export const variableFaults = defineFaults({
  /** Facts: `problem`. The value does not fit the type, or a secret lacks one. */
  variable_invalid: 'invalid',
  /** Facts: `allowed`. */
  too_many_variables: 'conflict',
})
