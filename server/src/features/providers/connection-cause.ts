import type { ModelFailureReason } from '#platform/models/model.ts'

/** Why a provider cannot be used, for causes that a person can fix. */
export const connectionCauses = [
  /** The host of an address from the environment was not found. */
  'dns',
  /** No server listens at the address. */
  'refused',
  /** There is no route to the address, or it may not be dialled: see `causeOf`. */
  'unreachable',
  /** A port that typed addresses may not use. */
  'port',
  'timeout',
  /** The certificate is not trusted, or the server does not speak TLS. */
  'tls',
  /** The provider refused the key: 401, 402, 403. */
  'key',
  /** A server answers, but not with this interface. */
  'path',
  /** Everything works except this model. */
  'model',
  'limited',
  /** The provider's own error: 5xx. */
  'provider',
  /** Neither the workspace nor the environment configures the provider. */
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
 * The cause of a failed exchange.
 *
 * An address that may not be dialled is `unreachable`, like an address without a route, whether its name
 * is private or unknown: the answer reveals neither servers nor names (see OutboundRefused).
 *
 * @throws the error itself when it is not a provider's failure
 */
export function causeOf(error: unknown): ConnectionCause {
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
  // The type of a ModelFailure's reason.
  if (failure !== undefined) return byReason[fieldOf(failure, 'reason') as ModelFailureReason]
  if (chain.some((one) => one.name === 'TimeoutError')) return 'timeout'
  throw error
}

function byCode(code: string): ConnectionCause | null {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'ENODATA') return 'dns'
  if (code === 'ECONNREFUSED') return 'refused'
  if (code === 'ETIMEDOUT' || code.endsWith('_TIMEOUT')) return 'timeout'
  const isTls =
    /^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|HOSTNAME_MISMATCH)/
  return isTls.test(code) ? 'tls' : null
}

/** An error and its causes; of several connection attempts, the first. */
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
