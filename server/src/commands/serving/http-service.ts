import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Config } from '#config'
import type { Context } from '#platform/context.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import type { Hono } from 'hono'
import { CommandFailure } from '#commands/command.ts'
import {
  endWith,
  limitConnections,
  type ConnectionLimits,
  type Connections,
} from './limit-connections.ts'

/** Longer than the usual idle timeout of load balancers (60 s): they must close first. */
const keepAliveMs = 65_000
/** How often a stopping service closes idle connections. */
const idleSweepMs = 50
/** How long headers may take that a client is sending when the service stops. */
const arrivingMs = 1000

export interface HttpService {
  /** The port that `open` found for `PORT=0`. */
  readonly port: number
  /**
   * Listens on the configured address.
   *
   * @throws CommandFailure if it cannot
   */
  open(): Promise<void>
  readonly isOpen: boolean
  /** Before this call, every request gets status 503. */
  serve(app: Hono<HttpEnvironment>, log: Context['log']): void
  readonly stopping: boolean
  /** Still accepts requests, each on a connection that ends with it. */
  announceStop(): void
  /**
   * Accepts no more requests and lets running ones finish. Closes all connections after `graceMs`.
   *
   * @returns the number of connections still open then
   */
  stop(graceMs: number): Promise<number>
}

/**
 * A year (RFC 6797). Browsers then refuse plain http for this host. Other hosts of the domain are not
 * Parley's to decide for, so there is no `includeSubDomains`.
 */
const transportSecurity = 'max-age=31536000'

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown

/** How often Node looks for requests whose headers are late. */
const headersCheckMs = 1000

/**
 * Connections that the operating system accepts before the service does; it allows fewer if it is set
 * so. A connection beyond them is retried by its client after a second. Node's default is 511.
 */
const backlog = 8192

type Listening = Pick<Config, 'host' | 'port' | 'baseUrl'> & ConnectionLimits

/** @throws CommandFailure if it cannot listen on the address */
export async function listen(config: Listening): Promise<HttpService> {
  const service = createHttpService(config)
  await service.open()
  return service
}

export function createHttpService(config: Listening): HttpService {
  let port = config.port
  let listener: Listener = refuseEarly
  let stopping = false
  const isHttps = config.baseUrl.startsWith('https:')
  const options = {
    keepAliveTimeout: keepAliveMs,
    headersTimeout: config.requestHeadersTimeoutMs,
    // Bodies have a lowest speed instead, see limitConnections.
    requestTimeout: 0,
    connectionsCheckingInterval: headersCheckMs,
  }
  const server = createServer(options, (incoming, outgoing) => {
    if (isHttps) outgoing.setHeader('Strict-Transport-Security', transportSecurity)
    // A client that keeps sending on one connection must not keep a stopping service alive.
    if (stopping) outgoing.setHeader('Connection', 'close')
    return listener(incoming, outgoing)
  })
  const connections = limitConnections(server, config)
  server.on('clientError', answerUnreadable)
  return {
    get port() {
      return port
    },
    async open() {
      port = await bind(server, config)
    },
    get isOpen() {
      return server.listening
    },
    serve(app, log) {
      const options = { hostname: config.host, errorHandler: answerOutsideApp(log) }
      listener = getRequestListener(app.fetch, options)
    },
    get stopping() {
      return stopping
    },
    announceStop() {
      stopping = true
    },
    stop(graceMs) {
      stopping = true
      return close(server, connections, graceMs)
    },
  }
}

function refuseEarly(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const alive = incoming.url === '/healthz'
  outgoing.writeHead(alive ? 200 : 503, { 'content-type': 'application/json', 'retry-after': '1' })
  outgoing.end(JSON.stringify(alive ? { status: 'ok' } : { error: 'Parley is starting' }))
}

/** Answers a request that the HTTP parser rejects, in JSON like the surfaces. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return endWith(socket, '431 Request Header Fields Too Large')
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return endWith(socket, '408 Request Timeout')
  endWith(socket, '400 Bad Request')
}

/** Answers requests that never reach the app, such as `OPTIONS *`, and errors outside its handlers. */
function answerOutsideApp(log: Context['log']): (error: unknown) => Response {
  return (error) => {
    if (error instanceof RequestError)
      return Response.json({ error: 'Bad Request' }, { status: 400 })
    log.error({ err: error }, 'request failed')
    return Response.json({ error: 'Internal Server Error' }, { status: 500 })
  }
}

/** @returns the port */
export async function bind(server: Server, { host, port }: { host: string; port: number }) {
  const bound = Promise.withResolvers<void>()
  server.once('error', bound.reject)
  server.listen({ host, port, backlog }, bound.resolve)
  try {
    await bound.promise
  } catch (error) {
    throw new CommandFailure(explain(error, host, port), { cause: error })
  }
  server.off('error', bound.reject)
  return (server.address() as AddressInfo).port // for TCP, neither null nor a path
}

function explain(error: unknown, host: string, port: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return `port ${port} is in use on ${host}: stop the process that listens there, or set PORT to another`
  if (code === 'EACCES') return `this user may not open port ${port}: set PORT to 1024 or above`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `this machine has no address ${host}: set HOST to 127.0.0.1, or 0.0.0.0 for all of them`
  return `cannot listen on ${host}:${port}: ${error instanceof Error ? error.message : String(error)}`
}

async function close(server: Server, connections: Connections, graceMs: number): Promise<number> {
  const { promise: closed, resolve, reject } = Promise.withResolvers<void>()
  server.close(() => resolve())
  let cut = 0
  const startedAt = performance.now()
  const sweep = setInterval(() => {
    server.closeIdleConnections()
    if (performance.now() - startedAt > arrivingMs) connections.closeUnbegun()
  }, idleSweepMs)
  const deadline = setTimeout(() => {
    server.getConnections((error, count) => {
      if (error !== null) return reject(error)
      cut = count
      server.closeAllConnections()
    })
  }, graceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(deadline)
  return cut
}
