import type { identityFaults } from '#features/identity/index.ts'
import type { RowsByCode, RowsByKind } from '#kernel/fault-table.ts'
import type { requestFaults } from './request-faults.ts'

/** How a page reports a fault. */
export interface PageRow {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 422 | 429 | 500 | 503
  readonly title: string
}

/** The rows of the kinds on all pages; a surface may replace some. */
export const pageKinds: RowsByKind<PageRow> = {
  invalid: {
    status: 422,
    title: 'That did not work',
    message: 'The form is not valid. Go back and try again.',
  },
  unauthenticated: { status: 401, title: 'Sign in first', message: 'Sign in, then try again.' },
  expired: { status: 410, title: 'This has expired', message: 'Start again.' },
  forbidden: { status: 403, title: 'Not allowed', message: 'You are not allowed to do this here.' },
  not_found: { status: 404, title: 'Nothing here', message: 'There is no such page or record.' },
  conflict: { status: 409, title: 'Already changed', message: 'Reload the page and try again.' },
  limited: {
    status: 429,
    title: 'Too many requests',
    message: 'Wait a minute, then try again.',
  },
  too_large: { status: 413, title: 'Too large', message: 'The form is too large.' },
  unavailable: {
    status: 503,
    title: 'Not available now',
    message: 'A service that this page needs does not respond. Try again in a moment.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong',
    message: 'Something went wrong on our side. Try again in a moment.',
  },
}

type SharedFaults = Pick<
  typeof requestFaults,
  'cross_site' | 'foreign_cookie' | 'form_stale' | 'method_not_allowed' | 'wrong_content_type'
> &
  Pick<typeof identityFaults, 'no_workspace'>

export const foreignCookiePage = {
  title: 'Delete this site’s cookies',
  message:
    'Another site on this domain has set a cookie with the same name as the sign-in cookie, so you cannot be signed in. Delete the cookies of this domain in your browser, then sign in again.',
}

/** The codes with the same answer on every page. */
export const pageCodes: RowsByCode<SharedFaults, PageRow> = {
  cross_site: {
    title: 'Not from here',
    message: 'This request came from another site and was not carried out.',
  },
  foreign_cookie: foreignCookiePage,
  form_stale: {
    title: 'This form is out of date',
    message:
      'It was opened in another browser or before you signed in. Go back, reload the page and try again.',
  },
  method_not_allowed: { status: 405, title: 'Not allowed', message: 'Open this page by its link.' },
  wrong_content_type: {
    status: 415,
    message: 'This page accepts forms only.',
  },
  no_workspace: {
    title: 'No workspace',
    message: 'You are a member of no workspace. Ask the person who invited you to add you to one.',
  },
}
