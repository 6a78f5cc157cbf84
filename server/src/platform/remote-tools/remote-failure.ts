import { RemoteToolFailure, type RemoteToolFailureReason } from './remote-tools.ts'

/** The failure that an error of the SDK, of our `fetch` or of the connection stands for. */
export function failureOf(error: unknown): RemoteToolFailure {
  if (error instanceof RemoteToolFailure) return error
  const detail = error instanceof Error ? error.message : String(error)
  return new RemoteToolFailure(reasonOf(error), detail.slice(0, 300), { cause: error })
}

function reasonOf(error: unknown): RemoteToolFailureReason {
  for (const one of causes(error)) {
    const reason = knownReason(one)
    if (reason !== null) return reason
  }
  return 'bad_answer'
}

function knownReason(error: Error): RemoteToolFailureReason | null {
  const code = 'code' in error ? String(error.code) : ''
  const status = 'status' in error ? Number(error.status) : Number.NaN
  if (error.name === 'OutboundRefused')
    return 'reason' in error && error.reason === 'timeout' ? 'timeout' : 'unreachable'
  if (error.name === 'UnauthorizedError' || status === 401 || status === 403) return 'rejected'
  if (code.endsWith('TIMEOUT') || code === 'ETIMEDOUT') return 'timeout'
  if (error.name === 'BodyTooLarge') return 'bad_answer'
  return /^(E[A-Z]{3,}|UND_ERR_\w+)$/.test(code) ? 'unreachable' : null
}

/** The error, what caused it, and what caused that. */
function* causes(error: unknown): Generator<Error> {
  let at = error
  for (let depth = 0; depth < 6 && at instanceof Error; depth += 1) {
    yield at
    if (at instanceof AggregateError) yield* at.errors.filter((one) => one instanceof Error)
    at = at.cause
  }
}
