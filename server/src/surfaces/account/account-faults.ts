import { Fault, type FaultFacts, type FaultKind } from '#kernel/fault.ts'

/** The statuses of the account surface's pages. */
type PageStatus = 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 422 | 429 | 500 | 503

export interface PageFault {
  readonly status: PageStatus
  readonly title: string
  readonly message: string
  readonly retryAfterSeconds?: number
}

interface Row {
  readonly status: PageStatus
  readonly title: string
  readonly message: string | ((facts: FaultFacts) => string)
}

/** Every kind has a row: a kind without one does not compile. */
const byKind: Record<FaultKind, Row> = {
  invalid: {
    status: 422,
    title: 'That did not work',
    message: 'What was sent is not valid. Go back and try again.',
  },
  unauthenticated: { status: 401, title: 'Sign in first', message: 'Sign in, then try again.' },
  expired: { status: 410, title: 'This has expired', message: 'Start again.' },
  forbidden: { status: 403, title: 'Not allowed', message: 'You may not do this here.' },
  not_found: { status: 404, title: 'Nothing here', message: 'There is no such page or record.' },
  conflict: { status: 409, title: 'Already changed', message: 'Reload the page and try again.' },
  limited: { status: 429, title: 'Too many attempts', message: 'Wait a while, then try again.' },
  too_large: { status: 413, title: 'Too large', message: 'What was sent is too large.' },
  unavailable: {
    status: 503,
    title: 'Not available now',
    message: 'Something this needs does not answer. Try again in a moment.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong',
    message: 'Something went wrong on our side. Try again in a moment.',
  },
}

const byCode: Readonly<Record<string, Row>> = {
  credentials_wrong: {
    status: 422,
    title: 'Sign in',
    message: 'Email or password is not right. Check both and try again.',
  },
  guesses_limited: {
    status: 429,
    title: 'Too many attempts',
    message: ({ retryAfterSeconds }) =>
      `There were too many attempts. Try again in ${minutes(retryAfterSeconds)}.`,
  },
  password_length: {
    status: 422,
    title: 'That did not work',
    message: ({ least, most }) =>
      `A password has between ${String(least)} and ${String(most)} characters. Choose another.`,
  },
  email_invalid: {
    status: 422,
    title: 'That did not work',
    message: 'That is not an email address.',
  },
  email_taken: {
    status: 422,
    title: 'That did not work',
    message: 'Another account has this email. Use a different one.',
  },
  setup_link_invalid: {
    status: 410,
    title: 'This link is used up',
    message:
      'A set-up link works once and within a day. If you have chosen a password, sign in with it; if not, start the service again: it prints a new link.',
  },
  invitation_invalid: {
    status: 410,
    title: 'This invitation is over',
    message:
      'An invitation works once and for seven days, unless it is taken back. If you have joined already, sign in; if not, ask for another.',
  },
  invitation_for_another: {
    status: 403,
    title: 'For somebody else',
    message: ({ email }) => `This invitation is for ${String(email)}. Sign in as that person.`,
  },
  already_member: {
    status: 409,
    title: 'Already a member',
    message: 'You are a member of this workspace already.',
  },
  plan_limit_reached: {
    status: 409,
    title: 'The workspace is full',
    message:
      'The plan of this workspace has no more places. Ask whoever invited you to make room, then open the link again.',
  },
  person_unknown: {
    status: 403,
    title: 'No account here',
    message:
      'You are signed in with your provider, but there is no account for you here. Ask whoever runs this service to add you.',
  },
  person_replaced: {
    status: 403,
    title: 'Somebody else’s account',
    message:
      'The account with your email belongs to another person of your provider. Ask whoever runs this service to hand it over to you.',
  },
  email_unverified: {
    status: 403,
    title: 'Email not confirmed',
    message:
      'Your provider has not confirmed your email address. Confirm it there, then sign in again.',
  },
  openid_failed: {
    status: 503,
    title: 'Sign-in was not completed',
    message: 'The sign-in provider did not tell us who you are. Go back and try again.',
  },
  openid_stale: {
    status: 410,
    title: 'This sign-in is over',
    message:
      'It took longer than a quarter of an hour, was completed already, or began in another browser. Sign in again.',
  },
  no_workspace: {
    status: 403,
    title: 'No workspace',
    message: 'You are a member of no workspace. Ask whoever invited you to add you to one.',
  },
  cross_site: {
    status: 403,
    title: 'Not from here',
    message: 'This request came from another site and was not carried out.',
  },
  form_stale: {
    status: 403,
    title: 'This form is out of date',
    message:
      'It was opened in another browser or before you signed in. Go back, reload and repeat.',
  },
  method_not_allowed: { status: 405, title: 'Not allowed', message: 'Open this page by its link.' },
  wrong_content_type: {
    status: 415,
    title: 'That did not work',
    message: 'This page takes forms only.',
  },
}

function minutes(seconds: FaultFacts[string] | undefined): string {
  const count = Math.max(1, Math.ceil(Number(seconds ?? 60) / 60))
  return count === 1 ? 'a minute' : `${count} minutes`
}

/** What the person is told; an error that is no Fault tells nothing of itself. */
export function toPageFault(error: unknown): PageFault {
  if (!(error instanceof Fault))
    return { ...byKind.internal, message: String(byKind.internal.message) }
  const { status, title, message } = byCode[error.code] ?? byKind[error.kind]
  const text = typeof message === 'string' ? message : message(error.facts)
  const retry = error.facts.retryAfterSeconds
  return typeof retry === 'number'
    ? { status, title, message: text, retryAfterSeconds: retry }
    : { status, title, message: text }
}
