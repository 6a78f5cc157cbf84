import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Context } from '#platform/context.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import type { Hono } from 'hono'
import { CommandFailure } from './command.ts'

/** Longer than the idle timeout of load balancers (mostly 60 s): they must close first. */
const keepAliveMs = 65_000
/** How often a stopping service closes the connections that have fallen idle. */
const idleSweepMs = 50

/** The listening socket. It is taken first, so that a port in use is told before anything is made. */
export interface HttpService {
  readonly port: number
  /** Until then every request is answered 503. */
  serve(app: Hono<HttpEnvironment>, log: Context['log']): void
  readonly stopping: boolean
  /**
   * Takes no more requests, lets the running ones finish, and cuts those that have not within
   * `graceMs`. Resolves when no connection is left.
   *
   * @returns how many connections were cut
   */
  stop(graceMs: number): Promise<number>
}

type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown

/** @throws CommandFailure when the address cannot be had */
export async function listen(address: { host: string; port: number }): Promise<HttpService> {
  let listener: Listener = refuseEarly
  let stopping = false
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (incoming, outgoing) => {
    // Otherwise a client that keeps sending on one connection would keep a stopping service alive.
    if (stopping) outgoing.setHeader('Connection', 'close')
    return listener(incoming, outgoing)
  })
  server.on('clientError', answerUnreadable)
  const port = await bind(server, address)
  return {
    port,
    serve(app, log) {
      const options = { hostname: address.host, errorHandler: answerOutsideApp(log) }
      listener = getRequestListener(app.fetch, options)
    },
    get stopping() {
      return stopping
    },
    stop(graceMs) {
      stopping = true
      return close(server, graceMs)
    },
  }
}

function refuseEarly(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const alive = incoming.url === '/healthz'
  outgoing.writeHead(alive ? 200 : 503, { 'content-type': 'application/json', 'retry-after': '1' })
  outgoing.end(JSON.stringify(alive ? { status: 'ok' } : { error: 'Parley is starting' }))
}

/**
 * A request that the HTTP parser rejects never reaches a surface: answer it here, in JSON as well.
 */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW'
  const status = tooLong ? '431 Request Header Fields Too Large' : '400 Bad Request'
  const body = JSON.stringify({ error: status.slice(4) })
  const headers = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
}

/**
 * The answer to what never reached the app, such as `OPTIONS *` or a malformed `Host`, and to what
 * the app threw out of its own handlers.
 */
function answerOutsideApp(log: Context['log']): (error: unknown) => Response {
  return (error) => {
    if (error instanceof RequestError)
      return Response.json({ error: 'Bad Request' }, { status: 400 })
    log.error({ err: error }, 'request failed')
    return Response.json({ error: 'Internal Server Error' }, { status: 500 })
  }
}

async function bind(server: Server, { host, port }: { host: string; port: number }) {
  const bound = Promise.withResolvers<void>()
  server.once('error', bound.reject)
  server.listen({ host, port }, bound.resolve)
  try {
    await bound.promise
  } catch (error) {
    throw new CommandFailure(explain(error, host, port), { cause: error })
  }
  server.off('error', bound.reject)
  return (server.address() as AddressInfo).port // a TCP socket: neither null nor a pipe's path
}

function explain(error: unknown, host: string, port: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE')
    return `port ${port} is in use on ${host}: stop what listens there, or set PORT to another`
  if (code === 'EACCES')
    return `port ${port} may not be opened by this user: set PORT to 1024 or above`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return `this machine has no address ${host}: set HOST to 127.0.0.1, or 0.0.0.0 for all of them`
  return `cannot listen on ${host}:${port}: ${error instanceof Error ? error.message : String(error)}`
}

async function close(server: Server, graceMs: number): Promise<number> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs)
  const timer = new AbortController()
  const late = delay(graceMs, 'late' as const, { signal: timer.signal }).catch(
    () => 'late' as const,
  )
  const first = await Promise.race([closed, late])
  timer.abort()
  const cut = first === 'late' ? await countConnections(server) : 0
  if (first === 'late') server.closeAllConnections()
  await closed
  clearInterval(sweep)
  return cut
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  )
}
