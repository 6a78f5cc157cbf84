import { html } from 'hono/html'
import { Fault, type FaultKind } from '#kernel/fault.ts'
import type { Page } from '#surfaces/http/page.ts'
import { toOauthFault } from './oauth-faults.ts'

/** The statuses of pages shown in place of a redirect. */
type PageStatus = 400 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 422 | 429 | 500 | 503

interface Row {
  readonly status: PageStatus
  readonly title: string
  readonly message: string
}

const startOver = 'Go back to your application and start again.'

/** Every kind has a row: a kind without one does not compile. */
const byKind: Record<FaultKind, Row> = {
  invalid: { status: 400, title: 'This request is not valid', message: startOver },
  unauthenticated: { status: 400, title: 'Unknown application', message: startOver },
  expired: { status: 410, title: 'This request has expired', message: startOver },
  forbidden: { status: 403, title: 'Not allowed', message: startOver },
  not_found: { status: 404, title: 'Nothing here', message: startOver },
  conflict: { status: 409, title: 'This request was answered', message: startOver },
  limited: { status: 429, title: 'Too many requests', message: 'Wait a minute, then try again.' },
  too_large: { status: 413, title: 'Too large', message: startOver },
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
  client_unknown: {
    status: 400,
    title: 'Unknown application',
    message:
      'The application that sent you here is not registered with this service. Remove its connection there and add it again.',
  },
  redirect_unregistered: {
    status: 400,
    title: 'Wrong return address',
    message:
      'The application asked to be answered at an address that it did not register. Nothing was sent there.',
  },
  request_unknown: {
    status: 404,
    title: 'No such request',
    message:
      'This browser has no such request: it may have begun in another one, or before its cookies were cleared. Go back to your application and start again.',
  },
  request_expired: {
    status: 410,
    title: 'This request has expired',
    message:
      'An authorization must be completed within five minutes. Go back to your application and start again.',
  },
  request_answered: {
    status: 409,
    title: 'This request was answered',
    message: 'You have decided on it already. Go back to your application; it knows your answer.',
  },
  more_than_asked: {
    status: 403,
    title: 'More than was asked for',
    message: 'The form grants what the application did not ask for. Nothing was granted.',
  },
  no_workspace: {
    status: 403,
    title: 'No workspace',
    message: 'You are a member of no workspace. Ask whoever invited you to add you to one.',
  },
  method_not_allowed: { status: 405, title: 'Not allowed', message: startOver },
  wrong_content_type: { status: 415, title: 'Not a form', message: startOver },
  cross_site: {
    status: 403,
    title: 'Not from here',
    message: 'This request came from another site and was not carried out.',
  },
  form_stale: {
    status: 403,
    title: 'This form is out of date',
    message: 'It was opened in another browser or session. Go back, reload and answer again.',
  },
}

/** A fault as a page, for a person who cannot be sent back to the application. */
export function faultPage(error: unknown): { page: Page; status: PageStatus } {
  const fault = error instanceof Fault ? error : null
  const { status, title, message } =
    fault === null ? byKind.internal : (byCode[fault.code] ?? byKind[fault.kind])
  const detail = isAboutParameter(fault) ? `${toOauthFault(fault).description}. ` : ''
  return {
    page: {
      title,
      body: html`<h1>${title}</h1>
        <p>${detail}${message}</p>`,
    },
    status,
  }
}

/** For whoever writes the application: which parameter it was. */
function isAboutParameter(fault: Fault | null): boolean {
  return fault !== null && typeof fault.facts.parameter === 'string'
}
