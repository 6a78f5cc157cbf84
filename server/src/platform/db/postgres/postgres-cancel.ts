import type { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import type { Client } from 'pg'
import { postgresDriver } from './postgres-driver.ts'

/** How often the server is asked: a request that arrives before its statement has no effect. */
const askEveryMs = 250
/** How long the server may take to end a statement. After that, its connection is closed. */
const patienceMs = 900

/**
 * Has the server end what a connection runs. Nothing else may use the connection afterwards: a request
 * that arrives late would end its next statement.
 *
 * @returns a function to call when the statement has ended
 */
export function cancelStatement(client: Client): () => void {
  const asking = setInterval(() => requestCancel(client), askEveryMs)
  const closing = setTimeout(() => client.connection.stream.destroy(), patienceMs)
  requestCancel(client)
  return () => {
    clearInterval(asking)
    clearTimeout(closing)
  }
}

/** What the driver's published types omit. */
interface Target {
  readonly ssl: unknown
  readonly sslNegotiation: string
  /** From the server's BackendKeyData message, or a pooler's; null while it connects. */
  readonly processID: number | null
  readonly secretKey: number | null
}

interface Canceller extends EventEmitter {
  readonly stream: Duplex
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processID: number, secretKey: number): void
}

/**
 * PostgreSQL's CancelRequest, on a connection of its own, which the server closes (PostgreSQL, 54.2.8).
 * A pooler passes it on to the session that runs the statement; `pg_cancel_backend` would need to know
 * that session, and a free connection.
 */
function requestCancel(client: Client): void {
  const { host, port } = client
  const { ssl, sslNegotiation, processID, secretKey } = client as unknown as Target // see there
  if (processID === null || secretKey === null) return
  const { Connection } = postgresDriver()
  const options = { ssl, sslNegotiation } as ConstructorParameters<typeof Connection>[0]
  const canceller = new Connection(options) as unknown as Canceller // see there
  const closing = setTimeout(() => canceller.stream.destroy(), patienceMs)
  canceller.once('end', () => clearTimeout(closing))
  // Then the connection of the statement is closed instead.
  canceller.on('error', () => canceller.stream.destroy())
  const send = () => canceller.cancel(processID, secretKey)
  canceller.once('connect', () => {
    if (ssl === false) send()
    else if (sslNegotiation !== 'direct') canceller.requestSsl()
  })
  canceller.once('sslconnect', send)
  if (host.startsWith('/')) canceller.connect(`${host}/.s.PGSQL.${port}`)
  else canceller.connect(port, host)
}
