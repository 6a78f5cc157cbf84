import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import type { Config } from '#config'
import { connectedClient } from '#surfaces/http/client-address.ts'

export type ConnectionLimits = Pick<
  Config,
  | 'maxConnections'
  | 'maxConnectionsPerAddress'
  | 'requestHeadersTimeoutMs'
  | 'requestBodyGraceMs'
  | 'requestBodyBytesPerSecond'
  | 'trustProxy'
>

export interface Connections {
  /** Closes connections without a complete request. To Node, one with half of its headers is not idle. */
  closeUnbegun(): void
}

/** How often slow requests are looked for. */
const sweepMs = 1000

/** The newest request of a connection. */
interface Arriving {
  incoming: IncomingMessage | null
  outgoing: ServerResponse | null
  startedAt: number
  /** Bytes of the connection before this request's body. */
  bytesBefore: number
}

/**
 * Bounds what one client can hold open: connections, and requests that arrive slowly. Node's own
 * deadline for a whole request would also end long uploads over slow lines, so bodies have a lowest
 * average speed instead. Responses, such as event streams, have no deadline here.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): Connections {
  const connections = new Map<Socket, Arriving>()
  const perAddress = new Map<string, number>()
  server.maxConnections = limits.maxConnections
  // A worker closes further connections as well: else its supervisor offers them again and again.
  // The types of Node lack the property.
  Object.assign(server, { dropMaxConnection: true })

  server.on('connection', (socket: Socket) => {
    connections.set(socket, { incoming: null, outgoing: null, startedAt: 0, bytesBefore: 0 })
    const address = connectedClient(socket.remoteAddress, limits)
    const open = address === null ? 0 : (perAddress.get(address) ?? 0) + 1
    if (address !== null) perAddress.set(address, open)
    socket.once('close', () => {
      connections.delete(socket)
      if (address === null) return
      const left = (perAddress.get(address) ?? 1) - 1
      if (left === 0) perAddress.delete(address)
      else perAddress.set(address, left)
    })
    if (open > limits.maxConnectionsPerAddress) endWith(socket, '429 Too Many Requests')
  })

  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const arriving = connections.get(incoming.socket)
    if (arriving === undefined) return
    arriving.incoming = incoming
    arriving.outgoing = outgoing
    arriving.startedAt = performance.now()
    arriving.bytesBefore = incoming.socket.bytesRead
  })

  const sweep = setInterval(() => {
    const now = performance.now()
    for (const [socket, arriving] of connections)
      if (isTooSlow(socket, arriving, now, limits)) {
        if (arriving.outgoing?.headersSent === true) socket.destroy()
        else endWith(socket, '408 Request Timeout')
      }
  }, sweepMs)
  // A server whose port is in use never closes, and the failed start must still end the process.
  sweep.unref()
  server.once('close', () => clearInterval(sweep))
  return {
    closeUnbegun() {
      for (const [socket, { outgoing }] of connections)
        if (outgoing === null || outgoing.writableFinished) socket.destroy()
    },
  }
}

function isTooSlow(
  socket: Socket,
  { incoming, startedAt, bytesBefore }: Arriving,
  now: number,
  limits: ConnectionLimits,
): boolean {
  // Bytes that wait to be read are a delay of the service, not of the client.
  if (incoming === null || incoming.complete || incoming.readableLength > 0) return false
  const lateMs = now - startedAt - limits.requestBodyGraceMs
  const arrived = socket.bytesRead - bytesBefore
  return lateMs > 0 && arrived < (lateMs / 1000) * limits.requestBodyBytesPerSecond
}

/** Answers outside HTTP's own handling, and closes the connection. */
export function endWith(socket: Duplex, status: string): void {
  const body = JSON.stringify({ error: status.slice(4) })
  const headers = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  // The other side may never read the answer or close its half.
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
