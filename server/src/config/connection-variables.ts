import { integer, unlimitedOr, variable } from './variable.ts'

/** What one client may hold open, and when a process begins no further requests. */
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
  SHED_EVENT_LOOP_DELAY_MS: variable(
    unlimitedOr(integer(1, 600_000)),
    'While the event loop is later than this on average, new chat, MCP and commerce requests get status 503 with `Retry-After`; what has begun continues. `unlimited` never refuses.',
    { fallback: '1000' },
  ),
  SHED_WAITING_REQUESTS: variable(
    unlimitedOr(integer(1, 1_000_000)),
    'How many requests of a process may wait for the beginning of their answer. Above that, new chat, MCP and commerce requests get status 503 with `Retry-After`. `unlimited` never refuses.',
    { fallback: '5000' },
  ),
} as const
