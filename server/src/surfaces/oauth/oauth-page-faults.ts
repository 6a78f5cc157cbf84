import { html } from 'hono/html'
import type { grantFaults } from '#features/grants/index.ts'
import type { reachFaults } from '#features/reach/index.ts'
import { worded, type RowsByCode, type RowsByKind } from '#kernel/fault-table.ts'
import { Fault } from '#kernel/fault.ts'
import { pageCodes, pageKinds, type PageRow } from '#surfaces/http/page-faults.ts'
import type { Page } from '#surfaces/http/page.ts'
import { toOauthFault } from './oauth-faults.ts'

const startOver = 'Go back to your application and start again.'

const byKind: RowsByKind<PageRow> = {
  ...pageKinds,
  invalid: { status: 400, title: 'This request is not valid', message: startOver },
  unauthenticated: { status: 400, title: 'Unknown application', message: startOver },
  expired: { ...pageKinds.expired, message: startOver },
  forbidden: { ...pageKinds.forbidden, message: startOver },
  not_found: { ...pageKinds.not_found, message: startOver },
  conflict: { ...pageKinds.conflict, message: startOver },
  too_large: { ...pageKinds.too_large, message: startOver },
}

type PageFaults = Pick<
  typeof grantFaults,
  | 'client_unknown'
  | 'redirect_unregistered'
  | 'request_unknown'
  | 'request_expired'
  | 'request_answered'
  | 'more_than_asked'
> &
  Pick<typeof reachFaults, 'reach_unknown'>

const byCode: RowsByCode<PageFaults, PageRow> = {
  client_unknown:
    'The application that sent you here is not registered with this service. Remove its connection there and add it again.',
  redirect_unregistered: {
    title: 'Wrong return address',
    message:
      'The application requested an answer at an address that it did not register. Nothing was sent there.',
  },
  request_unknown: {
    title: 'No such request',
    message:
      'This browser has no such request. It may have started in another browser, or before cookies were cleared. Go back to your application and start again.',
  },
  request_expired: {
    title: 'This request has expired',
    message:
      'An authorization must be completed within five minutes. Go back to your application and start again.',
  },
  request_answered: {
    title: 'This request has been answered',
    message:
      'You have already decided on this request. Go back to your application, which has your answer.',
  },
  more_than_asked: {
    title: 'More than the application requested',
    message:
      'The form contains permissions that the application did not request. Nothing was granted.',
  },
  reach_unknown: {
    title: 'No such workspace or agent',
    message:
      'A workspace or agent that you checked was deleted, or you left its workspace. Nothing was granted. Go back and choose again.',
  },
}

/** A fault as a page, for a person who cannot be sent back to the application. */
export function faultPage(error: unknown): { page: Page; status: PageRow['status'] } {
  const table = { byKind, byCode: { ...pageCodes, ...byCode } }
  const { status, title, message } = worded<PageRow>(error, table)
  // For the developer of the application: the parameter that is wrong.
  const isAboutParameter = error instanceof Fault && typeof error.facts.parameter === 'string'
  const detail = isAboutParameter ? `${toOauthFault(error).message}. ` : ''
  return {
    page: {
      title,
      body: html`<h1>${title}</h1>
        <p>${detail}${message}</p>`,
    },
    status,
  }
}
