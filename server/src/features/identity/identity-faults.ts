import { defineFaults, withFacts } from '#kernel/fault.ts'

export const identityFaults = defineFaults({
  email_invalid: 'invalid',
  email_taken: 'conflict',
  /** The shortest and longest password, in characters. */
  password_length: withFacts<{ least: number; most: number }>('invalid'),
  /** It is on a list of common passwords, or follows a pattern that is tried first. */
  password_guessable: 'invalid',
  /** Only for the operator's own tools: elsewhere it would reveal who has an account. */
  user_not_found: withFacts<{ email: string }>('not_found'),
  /** The account or the password is wrong; callers do not learn which. */
  credentials_wrong: 'unauthenticated',
  /** `SIGN_IN=openid`: people sign in with the OpenID provider alone. */
  passwords_off: 'forbidden',
  /** A provider's logout token works once. */
  logout_token_used: 'conflict',
  guesses_limited: withFacts<{ retryAfterSeconds: number }>('limited'),
  /** An operator disabled the account. Only shown to a person who proved who they are. */
  person_disabled: 'forbidden',
  /** Only an operator can change an address, because no mail server is configured. */
  mail_not_configured: 'conflict',
  letters_limited: withFacts<{ retryAfterSeconds: number }>('limited'),
  /** The address is the person's already, and it is proven. */
  email_unchanged: 'conflict',
  /** The mailed link is unknown, used or too old. */
  email_link_invalid: 'expired',
  /** The cookie names no session, or one that has ended. */
  not_signed_in: 'unauthenticated',
  /** The half-finished sign-in is unknown, was finished, or waited too long for its second factor. */
  second_step_expired: 'expired',
  /** The person must confirm that it is them: their sign-in is too long ago for this. */
  confirmation_required: 'forbidden',
  /** The one-time link is unknown, used or older than a day. */
  setup_link_invalid: 'expired',
  /** The OpenID provider's person has no account here and gets none. */
  person_unknown: 'forbidden',
  /** The account with the person's e-mail belongs to another person of the same OpenID provider. */
  person_replaced: 'forbidden',
  /** The OpenID provider does not vouch for the person's e-mail. */
  email_unverified: 'forbidden',
  /** The person is a member of no workspace. */
  no_workspace: 'forbidden',
  /** The database has no owner yet. */
  not_set_up: 'unavailable',
})
