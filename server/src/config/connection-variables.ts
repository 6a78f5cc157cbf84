import { integer, variable } from './variable.ts'

/** What one client may hold open. */
export const connectionVariables = {
  MAX_CONNECTIONS: variable(
    integer(1, 1_000_000),
    'Maximum number of open connections. Further ones are closed at once.',
    { fallback: '10000' },
  ),
  MAX_CONNECTIONS_PER_ADDRESS: variable(
    integer(1, 1_000_000),
    'Maximum number of open connections of one client address. Further ones get status 429. It does not apply to the proxies in `TRUST_PROXY`, through which all clients connect: limit connections there.',
    { fallback: '1000' },
  ),
  REQUEST_HEADERS_TIMEOUT_MS: variable(
    integer(100, 3_600_000),
    'How long a client may take to send the headers of a request. After that, it gets status 408.',
    { fallback: '15000' },
  ),
  REQUEST_BODY_GRACE_MS: variable(
    integer(100, 3_600_000),
    'How long a client may take to send a request body at any speed. After that, the body must have arrived at `REQUEST_BODY_BYTES_PER_SECOND` on average, or the client gets status 408.',
    { fallback: '20000' },
  ),
  REQUEST_BODY_BYTES_PER_SECOND: variable(
    integer(0, 1_000_000_000),
    'Lowest average speed of a long request body. Time in which Parley itself does not read is not counted.',
    { fallback: '4096' },
  ),
} as const
