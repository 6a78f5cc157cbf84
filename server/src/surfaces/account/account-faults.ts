import type { credentialFaults } from '#features/credentials/index.ts'
import type { identityFaults } from '#features/identity/index.ts'
import type { memberFaults } from '#features/members/index.ts'
import type { secondFactorFaults } from '#features/second-factors/index.ts'
import type { workspaceFaults } from '#features/workspaces/index.ts'
import { worded, type RowsByCode, type Without } from '#kernel/fault-table.ts'
import { defineFaults, type Fault } from '#kernel/fault.ts'
import { setRetryAfter } from '#surfaces/http/end-routes.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { pageCodes, pageKinds, type PageRow } from '#surfaces/http/page-faults.ts'

export const openIdFaults = defineFaults({
  openid_failed: 'unavailable',
  /** The person returned from the provider in another browser, or too late. */
  openid_stale: 'expired',
})

/** `no_workspace` is in `pageCodes`; the others left out never reach a form. */
type PageFaults = Without<
  typeof identityFaults,
  'not_signed_in' | 'no_workspace' | 'user_not_found' | 'not_set_up' | 'logout_token_used'
> &
  typeof openIdFaults &
  typeof credentialFaults &
  Without<typeof secondFactorFaults, 'second_factor_required'> &
  Pick<typeof memberFaults, 'invitation_invalid' | 'invitation_for_another' | 'already_member'> &
  Pick<typeof workspaceFaults, 'plan_limit_reached'>

const byCode: RowsByCode<PageFaults, PageRow> = {
  credentials_wrong: {
    status: 422,
    title: 'Sign in',
    message: 'The email or password is wrong. Check both and try again.',
  },
  credential_ended: {
    title: 'You are signed out',
    message: 'Your session ended before this was done. Sign in, then try again.',
  },
  passwords_off: {
    title: 'Passwords are off',
    message:
      'People sign in to this service only with its provider. Go to sign-in and continue with the provider.',
  },
  guesses_limited: {
    title: 'Too many attempts',
    message: ({ retryAfterSeconds }) =>
      `Too many attempts. Try again in ${minutes(retryAfterSeconds)}.`,
  },
  password_length: ({ least, most }) =>
    `A password must be between ${least} and ${most} characters long. Choose another.`,
  password_guessable:
    'This password is easy to guess. Choose another: several unrelated words, or one that a password manager creates.',
  email_invalid: 'That is not an email address.',
  email_taken: {
    status: 422,
    title: 'That did not work',
    message: 'Another account has this email. Use a different one.',
  },
  second_step_expired: {
    title: 'This sign-in has expired',
    message: 'It waited too long for your second factor, or was already completed. Sign in again.',
  },
  confirmation_required: {
    title: 'Confirm that it is you',
    message: 'Your last confirmation was too long ago. Go back, open the page again and confirm.',
  },
  factor_wrong: {
    title: 'That did not work',
    message: 'The code is wrong, or it was used before. Try again with a new code.',
  },
  challenge_expired: {
    title: 'This has expired',
    message:
      'The request took too long, or was already used. Go back, reload the page and try again.',
  },
  passkeys_impossible: {
    title: 'Passkeys are not available',
    message: 'Passkeys need https and a host name. Add an authenticator app instead.',
  },
  too_many_factors: {
    title: 'Too many second factors',
    message: ({ allowed }) => `An account can have ${allowed} second factors. Remove one first.`,
  },
  last_factor_required: {
    title: 'Your last second factor',
    message: ({ workspace }) =>
      `The workspace “${workspace}” requires a second factor of its owners. Add another one before you remove this one.`,
  },
  setup_link_invalid: {
    title: 'This link has expired',
    message:
      'A set-up link works once and within a day. If you have chosen a password, sign in with it. If not, ask an operator for a new link; for the first owner, start the service again: it prints a new link.',
  },
  person_disabled: {
    title: 'This account is disabled',
    message: 'An operator of this service disabled your account. Ask them to enable it.',
  },
  mail_not_configured: {
    title: 'No mail server',
    message:
      'This service cannot send email. Ask an operator of this service: they can create an account and change its email.',
  },
  letters_limited: {
    title: 'Too many emails',
    message: ({ retryAfterSeconds }) =>
      `Too many emails were requested. Try again in ${minutes(retryAfterSeconds)}.`,
  },
  email_unchanged: { status: 422, title: 'Your email', message: 'This is already your email.' },
  email_link_invalid: {
    title: 'This link has expired',
    message:
      'The link was used, is too old, or belongs to another account. Sign in as the person who requested it, or request a new one.',
  },
  invitation_invalid: {
    title: 'This invitation has expired',
    message:
      'An invitation works once and for seven days, unless it is revoked. If you have already joined, sign in; if not, ask for a new one.',
  },
  invitation_for_another: {
    title: 'For another person',
    message: ({ email }) => `This invitation is for ${email}. Sign in as that person.`,
  },
  already_member: {
    title: 'Already a member',
    message: 'You are already a member of this workspace.',
  },
  plan_limit_reached: {
    status: 409,
    title: 'The workspace is full',
    message:
      'This workspace has as many members as its plan allows. Ask the person who invited you to make room, then open the link again.',
  },
  person_unknown: {
    title: 'No account here',
    message:
      'You are signed in with your provider, but you have no account here. Ask an operator of this service to add you.',
  },
  person_replaced: {
    title: 'Another person’s account',
    message:
      'The account with your email belongs to another person of your provider. Ask an operator of this service to transfer it to you.',
  },
  email_unverified: {
    title: 'Email not confirmed',
    message:
      'Your provider has not confirmed your email address. Confirm it there, then sign in again.',
  },
  openid_failed: {
    title: 'Sign-in was not completed',
    message: 'The sign-in provider did not confirm who you are. Go back and try again.',
  },
  openid_stale: {
    title: 'This sign-in has expired',
    message:
      'It took longer than fifteen minutes, was already completed, or began in another browser. Sign in again.',
  },
}

function minutes(seconds: number): string {
  const count = Math.max(1, Math.ceil(seconds / 60))
  return count === 1 ? 'a minute' : `${count} minutes`
}

export function toPageFault(error: unknown): PageRow & { readonly message: string } {
  return worded<PageRow>(error, { byKind: pageKinds, byCode: { ...pageCodes, ...byCode } })
}

/** The status and the message that a form shows for an error; also sets `Retry-After`. */
export function formFault(c: Http, error: Fault | undefined) {
  setRetryAfter(c, error)
  return error === undefined ? ({ status: 200, message: null } as const) : toPageFault(error)
}
