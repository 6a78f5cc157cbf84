import { defineFaults } from '#kernel/fault.ts'

export const identityFaults = defineFaults({
  email_invalid: 'invalid',
  email_taken: 'conflict',
  /** Facts: `least`, `most`: how many characters a password may have. */
  password_length: 'invalid',
  /** Facts: `email`. Only for the operator's own tools: elsewhere it would tell who has an account. */
  user_not_found: 'not_found',
  /** No such account, no such password: nobody learns which. */
  credentials_wrong: 'unauthenticated',
  /** Facts: `retryAfterSeconds`. */
  guesses_limited: 'limited',
  /** The cookie names no session, or one that has ended. */
  not_signed_in: 'unauthenticated',
  /** The one-time link is unknown, was used, or its day is over. */
  setup_link_invalid: 'expired',
  /** The OpenID provider's person has no account here, and none is made for them. */
  person_unknown: 'forbidden',
  /** The account of the person's e-mail is that of another person of the same OpenID provider. */
  person_replaced: 'forbidden',
  /** The OpenID provider does not vouch for the person's e-mail. */
  email_unverified: 'forbidden',
  /** A person who is a member of no workspace. */
  no_workspace: 'forbidden',
  /** The database has no owner yet. */
  not_set_up: 'unavailable',
})
