/** An error from the service, or a failure to reach it. `message` is a sentence for people. */
export class OperationError extends Error {
  override readonly name = 'OperationError'
  /** The service's error code; `offline` if the service could not be reached. */
  readonly code: string
  /** The HTTP status; 0 if the service could not be reached. */
  readonly status: number
  /** The problems of single fields, as `field: problem`. */
  readonly issues: readonly string[]
  readonly requestId: string | null

  constructor(
    message: string,
    about: {
      code: string
      status: number
      issues?: readonly string[]
      requestId?: string | null
      cause?: unknown
    },
  ) {
    super(message, { cause: about.cause })
    this.code = about.code
    this.status = about.status
    this.issues = about.issues ?? []
    this.requestId = about.requestId ?? null
  }

  /** Whether the service is unavailable, such as during a restart, so that a retry may succeed. */
  get isOutage(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 503
  }

  /** Whether the same request may succeed a minute later: an outage, or a reached rate limit. */
  get isPassing(): boolean {
    return this.isOutage || this.status === 429
  }

  /** The problem of one field, if it has one. */
  issueOf(field: string): string | undefined {
    return this.issues.find((issue) => issue.startsWith(`${field}: `))?.slice(field.length + 2)
  }
}

/**
 * The error of a response that is not ok. Never throws: a body that is not JSON is described by its
 * status.
 */
export async function errorOf(response: Response): Promise<OperationError> {
  const { status } = response
  const body: unknown = await response.json().catch(() => null)
  return errorFrom(status, body)
}

export function errorFrom(status: number, body: unknown): OperationError {
  const reported = recordIn(body, 'error')
  const message = typeof reported?.message === 'string' ? reported.message : `HTTP ${status}`
  const issues = Array.isArray(reported?.issues) ? reported.issues.map(String) : []
  const requestId = typeof reported?.request_id === 'string' ? reported.request_id : null
  return new OperationError(message, {
    code: String(reported?.code ?? status),
    status,
    issues,
    requestId,
  })
}

function recordIn(value: unknown, name: string): Readonly<Record<string, unknown>> | null {
  if (typeof value !== 'object' || value === null) return null
  const found: unknown = Object.entries(value).find(([key]) => key === name)?.[1]
  return typeof found === 'object' && found !== null ? { ...found } : null
}
