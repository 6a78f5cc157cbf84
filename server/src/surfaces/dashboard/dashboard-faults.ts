import { Fault, type FaultFacts, type FaultKind } from '#kernel/fault.ts'
import { faultMessage } from '#operations/fault-wording.ts'

type DashboardStatus =
  | 400
  | 401
  | 402
  | 403
  | 404
  | 405
  | 409
  | 410
  | 413
  | 415
  | 422
  | 429
  | 500
  | 503

export interface DashboardFault {
  readonly status: DashboardStatus
  /** The body's `error`. */
  readonly error: {
    readonly code: string
    readonly message: string
    /** Each thing that is wrong with the input, as `field: problem`. */
    readonly issues?: readonly string[]
  }
  readonly retryAfterSeconds?: number
}

/** Every kind has a row: a kind without one does not compile. */
const statusByKind: Record<FaultKind, DashboardStatus> = {
  invalid: 422,
  unauthenticated: 401,
  expired: 410,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  limited: 429,
  too_large: 413,
  unavailable: 503,
  internal: 500,
}

interface Row {
  readonly status: DashboardStatus
  readonly message: string | ((facts: FaultFacts) => string)
}

/** What is no operation's own: the request, the session, a turn. Operations have their wording. */
const byCode: Readonly<Record<string, Row>> = {
  malformed_json: { status: 400, message: 'The request is not valid JSON.' },
  wrong_content_type: { status: 415, message: 'Content-Type must be application/json.' },
  body_too_large: {
    status: 413,
    message: ({ maxBytes }) =>
      `This is larger than ${megabytes(maxBytes)}, the most that is taken.`,
  },
  unknown_path: { status: 404, message: 'There is no such address.' },
  unknown_operation: { status: 404, message: 'There is no such operation.' },
  method_not_allowed: { status: 405, message: 'This address takes another method.' },
  cross_site: {
    status: 403,
    message: 'This request came from another site and was not carried out.',
  },
  not_signed_in: { status: 401, message: 'Your session has ended. Sign in again.' },
  no_workspace: {
    status: 403,
    message:
      'You are a member of no workspace. Reload the page to make one, or ask whoever invited you to add you to one.',
  },
  session_unknown: { status: 404, message: 'This conversation belongs to another agent.' },
  session_queue_full: {
    status: 409,
    message: 'Other messages of this conversation are still being answered. Wait, then try again.',
  },
  turn_aborted: { status: 503, message: 'The answer was cut short.' },
  credits_used_up: {
    status: 402,
    message:
      'This workspace has no credits left for this. Settings, Billing and credits shows what they were used for and how to get more.',
  },
  credit_cap_reached: {
    status: 402,
    message: ({ resets_at }) =>
      `A cap on credits is reached; it begins anew at ${String(resets_at)}. An admin can change it in Settings, Billing and credits.`,
  },
  model_not_configured: {
    status: 503,
    message:
      'The model provider of this agent is not configured. Add it under Settings → Model providers.',
  },
  model_unreachable: {
    status: 503,
    message:
      'The model provider is down or cannot be reached. Test its connection under Settings → Model providers.',
  },
  model_rejected: {
    status: 503,
    message:
      'The model provider refused our credentials. Change its key under Settings → Model providers.',
  },
  model_bad_answer: { status: 503, message: 'The model provider gave no usable answer.' },
  model_refused_request: { status: 503, message: 'The model provider refused the request.' },
  model_timeout: { status: 503, message: 'The model provider took too long to answer.' },
  model_limited: {
    status: 429,
    message: 'The model provider is over its rate limit. Try again later.',
  },
}

const ourFault: DashboardFault = {
  status: 500,
  error: {
    code: 'internal',
    message: 'Something went wrong on our side. Try again in a moment.',
  },
}

/** What the dashboard is told; an error that is no Fault, or ours, tells nothing of itself. */
export function toDashboardFault(error: unknown): DashboardFault {
  if (!(error instanceof Fault) || error.kind === 'internal') return ourFault
  const { code, kind, facts } = error
  const row = byCode[code]
  const { issues, retryAfterSeconds } = facts
  return {
    status: row?.status ?? statusByKind[kind],
    error: { code, message: wording(error, row), ...(isList(issues) ? { issues } : {}) },
    ...(typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {}),
  }
}

function megabytes(bytes: FaultFacts[string] | undefined): string {
  return `${(Number(bytes) / 1_000_000).toFixed(1)} MB`
}

function wording(fault: Fault, row: Row | undefined): string {
  if (row === undefined) return faultMessage(fault)
  return typeof row.message === 'string' ? row.message : row.message(fault.facts)
}

function isList(value: FaultFacts[string] | undefined): value is readonly string[] {
  return Array.isArray(value)
}
