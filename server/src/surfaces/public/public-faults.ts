import type { FaultKind } from '#kernel/fault.ts'
import { Fault } from '#kernel/fault.ts'
import type { LimitName } from '#kernel/limits.ts'
import type { fileFaults } from '#features/files/index.ts'
import type { turnFaults } from '#features/turns/index.ts'
import { visitorFaults } from '#features/visitors/index.ts'

type Status = 400 | 401 | 403 | 404 | 409 | 413 | 429 | 500 | 503

/** The code and facts of a fault; the page has the words in the visitor's language. */
export interface PublicFault {
  readonly status: Status
  readonly code: string
  readonly facts: Readonly<Record<string, number | string>>
}

const statuses: Record<FaultKind, Status> = {
  invalid: 400,
  unauthenticated: 401,
  expired: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  limited: 429,
  too_large: 413,
  unavailable: 503,
  internal: 500,
}

/** What a visitor can do something about: another file. */
const ofFiles = [
  'file_format_unknown',
  'file_unreadable',
  'file_too_large',
  'file_too_long',
  'images_not_supported',
  'files_not_supported',
] as const satisfies readonly (keyof typeof fileFaults | keyof typeof turnFaults)[]

const shownCodes = new Set<string>([...Object.keys(visitorFaults), ...ofFiles])

/** What a visitor can do something about: begin another conversation. */
const longest: LimitName = 'messages_per_conversation'

/** A visitor learns nothing about the model, the credits or the tools behind an agent. */
export function toPublicFault(error: unknown): PublicFault {
  if (!(error instanceof Fault)) return { status: 500, code: 'failed', facts: {} }
  const status = statuses[error.kind]
  const { limit, retryAfterSeconds: retry_after, challenge, bits, check } = error.facts
  if (shownCodes.has(error.code))
    return {
      status,
      code: error.code,
      facts: plain({ limit, retry_after, challenge, bits, check }),
    }
  if (limit === longest) return { status: 409, code: 'conversation_full', facts: {} }
  const isBusy = error.kind === 'limited' && retry_after !== undefined
  return isBusy
    ? { status, code: 'busy', facts: plain({ retry_after }) }
    : { status, code: 'failed', facts: {} }
}

function plain(facts: Readonly<Record<string, unknown>>): PublicFault['facts'] {
  return Object.fromEntries(
    Object.entries(facts).filter(
      (entry): entry is [string, number | string] =>
        typeof entry[1] === 'number' || typeof entry[1] === 'string',
    ),
  )
}
