import { defineFaults } from '#kernel/fault.ts'

export const identityFaults = defineFaults({
  email_invalid: 'invalid',
  email_taken: 'conflict',
  /** Facts: `least`, `most`: how many characters a password may have. */
  password_length: 'invalid',
  /** Facts: `email`. Only for the operator's own tools: elsewhere it would tell who has an account. */
  user_not_found: 'not_found',
  /** The database has no owner yet. */
  not_set_up: 'unavailable',
})
