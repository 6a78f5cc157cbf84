import type { ModelFailureReason } from '#platform/models/model.ts'

/** Why a provider cannot be used, as far as a person can do something about it. */
export const connectionCauses = [
  /** The host has no address. */
  'dns',
  /** Nothing listens there. */
  'refused',
  /** No way there, or none that is allowed: see `causeOf`. */
  'unreachable',
  /** A port that typed addresses may not have. */
  'port',
  'timeout',
  /** The certificate is not trusted, or the server does not speak TLS. */
  'tls',
  /** The key is refused: 401, 402, 403. */
  'key',
  /** Something answers there, but not this interface. */
  'path',
  /** All is well but this model. */
  'model',
  'limited',
  /** The provider's own fault: 5xx. */
  'provider',
  /** Neither the workspace nor the environment says how to reach it. */
  'not_configured',
] as const

export type ConnectionCause = (typeof connectionCauses)[number]

const byReason: Readonly<Record<ModelFailureReason, ConnectionCause>> = {
  unreachable: 'unreachable',
  timeout: 'timeout',
  rejected: 'key',
  limited: 'limited',
  bad_answer: 'path',
  refused_request: 'path',
}

/**
 * The cause of a failed exchange; null for an error of ours.
 *
 * An address that is private, and not allowed, is `unreachable` like one that nobody routes to:
 * whether something is there is not told (see OutboundRefused).
 */
export function causeOf(error: unknown): ConnectionCause | null {
  const chain = chainOf(error)
  const refusal = chain.find((one) => one.name === 'OutboundRefused')
  if (refusal !== undefined && fieldOf(refusal, 'reason') === 'private_address')
    return 'unreachable'
  if (refusal !== undefined && fieldOf(refusal, 'reason') === 'port') return 'port'
  for (const one of chain) {
    const cause = byCode(fieldOf(one, 'code'))
    if (cause !== null) return cause
  }
  if (chain.some((one) => Number(fieldOf(one, 'status')) >= 500)) return 'provider'
  const failure = chain.find((one) => one.name === 'ModelFailure')
  if (failure === undefined)
    return chain.some((one) => one.name === 'TimeoutError') ? 'timeout' : null
  return byReason[fieldOf(failure, 'reason') as ModelFailureReason] // its type says so
}

function byCode(code: string): ConnectionCause | null {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENODATA') return 'dns'
  if (code === 'ECONNREFUSED') return 'refused'
  if (code === 'ETIMEDOUT' || code.endsWith('_TIMEOUT')) return 'timeout'
  const isTls =
    /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|HOSTNAME_MISMATCH)/
  return isTls.test(code) ? 'tls' : null
}

/** An error, what it was caused by, and so on; of several attempts, the first. */
function chainOf(error: unknown): readonly Error[] {
  const chain: Error[] = []
  for (let next = error; next instanceof Error && chain.length < 8;) {
    chain.push(next)
    next = next instanceof AggregateError ? next.errors[0] : next.cause
  }
  return chain
}

function fieldOf(error: Error, name: string): string {
  return String(Object.entries(error).find(([key]) => key === name)?.[1] ?? '')
}
