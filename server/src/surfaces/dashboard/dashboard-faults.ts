import type { creditFaults } from '#features/credits/index.ts'
import type { fileFaults } from '#features/files/index.ts'
import type { identityFaults } from '#features/identity/index.ts'
import type { secondFactorFaults } from '#features/second-factors/index.ts'
import type { turnFaults } from '#features/turns/index.ts'
import { worded, type FaultTable, type RowsByCode, type Without } from '#kernel/fault-table.ts'
import { Fault } from '#kernel/fault.ts'
import { faultMessage } from '#operations/fault-wording.ts'
import type { requestFaults } from '#surfaces/http/request-faults.ts'
import type { operationFaults } from './run-named-operation.ts'

interface Row {
  readonly status: 400 | 401 | 402 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 422 | 429 | 500 | 503
}

export interface DashboardFault extends Row {
  /** The body's `error`. */
  readonly error: {
    readonly code: string
    readonly message: string
    /** Each problem of the input, as `field: problem`. */
    readonly issues?: readonly string[]
  }
}

/** Codes without a row of their own use the messages of operations. */
const byOperation = ''

const byKind: FaultTable<Row>['byKind'] = {
  invalid: { status: 422, message: byOperation },
  unauthenticated: { status: 401, message: byOperation },
  expired: { status: 410, message: byOperation },
  forbidden: { status: 403, message: byOperation },
  not_found: { status: 404, message: byOperation },
  conflict: { status: 409, message: byOperation },
  limited: { status: 429, message: byOperation },
  too_large: { status: 413, message: byOperation },
  unavailable: { status: 503, message: byOperation },
  internal: { status: 500, message: byOperation },
}

/** The dashboard sends files themselves. */
type FaultOfIds =
  | 'file_id_unknown'
  | 'file_unknown'
  | 'image_unreadable'
  | 'images_too_large'
  | 'upload_empty'

/**
 * Faults of requests, sessions and the dashboard's own pages. Operations have their own messages.
 */
type PageFaults = Without<typeof requestFaults, 'form_stale'> &
  typeof operationFaults &
  Pick<
    typeof identityFaults,
    'not_signed_in' | 'no_workspace' | 'credentials_wrong' | 'guesses_limited'
  > &
  Pick<typeof secondFactorFaults, 'factor_wrong' | 'challenge_expired'> &
  Pick<typeof creditFaults, 'credits_used_up' | 'credit_cap_reached'> &
  Pick<
    typeof turnFaults,
    | 'session_unknown'
    | 'session_queue_full'
    | 'model_invalid'
    | 'model_not_configured'
    | 'model_unreachable'
    | 'model_rejected'
    | 'images_not_supported'
    | 'files_not_supported'
  > &
  Omit<typeof fileFaults, 'file_misplaced' | 'file_unreachable' | FaultOfIds>

const byCode: RowsByCode<PageFaults, Row> = {
  malformed_json: { status: 400, message: 'The request is not valid JSON.' },
  json_refused: { status: 400, message: ({ problem }) => `The request ${problem}.` },
  wrong_content_type: { status: 415, message: 'Content-Type must be application/json.' },
  body_too_large: ({ maxBytes }) => `This is larger than the limit of ${megabytes(maxBytes)}.`,
  unknown_path: 'There is no such address.',
  unknown_operation: 'There is no such operation.',
  method_not_allowed: { status: 405, message: 'This address does not accept this method.' },
  cross_site: 'This request came from another site and was not carried out.',
  foreign_cookie:
    'Another site on this domain has set a cookie with the same name as the sign-in cookie. Delete the cookies of this domain, then sign in again.',
  rate_limited: ({ limit }) =>
    `Your rate limit is reached (${limit} requests a minute). Wait a minute, then try again.`,
  not_signed_in: 'Your session has ended. Sign in again.',
  no_workspace:
    'You are a member of no workspace. Reload the page to create one, or ask the person who invited you to add you to one.',
  // 422 rather than 401, which would lead to the sign-in page.
  credentials_wrong: { status: 422, message: 'The password is wrong. Try again.' },
  guesses_limited: ({ retryAfterSeconds }) =>
    `Too many attempts. Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes.`,
  factor_wrong: 'The code is wrong, or it was used before. Try again with a new code.',
  challenge_expired: 'The confirmation took too long, or was already used. Try again.',
  session_unknown: 'This conversation belongs to another agent.',
  session_queue_full:
    'Other messages of this conversation are still being answered. Wait, then try again.',
  credits_used_up: {
    status: 402,
    message:
      'This workspace has no credits left for this. Settings, Billing and credits shows what they were used for and how to get more.',
  },
  credit_cap_reached: {
    status: 402,
    message: ({ resets_at }) =>
      `A credit cap is reached; it resets at ${resets_at}. An admin can change it in Settings, Billing and credits.`,
  },
  model_invalid: 'The model id of this agent is not valid. Choose another model in its settings.',
  model_not_configured:
    'The model provider of this agent is not configured. Add it under Settings → Model providers.',
  model_unreachable:
    'The model provider is down or cannot be reached. Test its connection under Settings → Model providers.',
  model_rejected:
    'The model provider rejected the key. Change its key under Settings → Model providers.',
  images_not_supported: 'The model of this agent does not read images. Choose another model.',
  files_not_supported:
    'The built-in model answers from the knowledge and does not read files. Choose another model.',
  files_too_many: ({ most }) => `A message can have at most ${most} files.`,
  file_format_unknown: ({ at, known }) =>
    `Files of the kind of "${at}" cannot be read. These can: ${known.join(', ')}.`,
  file_unreadable: ({ at, problem }) => `"${at}" cannot be read: it ${problem}.`,
  file_too_large: ({ at, limitBytes }) =>
    `"${at}" is larger than the limit of ${megabytes(limitBytes)}.`,
  file_too_long: ({ limit }) => `A file has more than ${limit} characters of text.`,
  files_busy: 'Too many files are being read. Try again in a moment.',
}

const ourFault: DashboardFault = {
  status: 500,
  error: {
    code: 'internal',
    message: 'Something went wrong on our side. Try again in a moment.',
  },
}

/** An internal fault, or an error that is not a Fault, reveals nothing. */
export function toDashboardFault(error: unknown): DashboardFault {
  if (!(error instanceof Fault) || error.kind === 'internal') return ourFault
  const { code, facts } = error
  const { status, message: own } = worded<Row>(error, { byKind, byCode })
  const message = own === byOperation ? faultMessage(error) : own
  const issues = Array.isArray(facts.issues) ? { issues: facts.issues } : {}
  return { status, error: { code, message, ...issues } }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
