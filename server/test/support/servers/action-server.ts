import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

/** One request as the API received it. */
export interface SeenRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Resolves when the connection is closed before the response was complete. */
  readonly aborted: Promise<void>
}

export interface ActionServer {
  /** `http://127.0.0.1:port` */
  readonly origin: string
  readonly host: string
  readonly requests: SeenRequest[]
  /** Resolves when `count` requests have arrived. */
  seen(count: number): Promise<void>
}

export type Answer = (response: ServerResponse, request: SeenRequest) => void | Promise<void>

/** Answers as JSON. */
export function json(value: unknown, status = 200): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }
}

/** An API on a free loopback port that records its requests. It stops with the suite. */
export async function startActionServer(answer: Answer): Promise<ActionServer> {
  const requests: SeenRequest[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = []
    incoming.on('data', (piece: Buffer) => pieces.push(piece))
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(pieces).toString(),
        aborted: abortOf(response),
      }
      requests.push(request)
      for (const one of waiting) if (requests.length >= one.count) one.resolve()
      // A handler that fails is a bug in the test. Closing the connection makes the client notice.
      Promise.try(answer, response, request).catch((error: unknown) =>
        response.destroy(error instanceof Error ? error : new Error(String(error))),
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  // A server listening on TCP has an address with a port.
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin: `http://${host}`,
    host,
    requests,
    seen: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ count, resolve })),
  }
}

function abortOf(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.on('close', () => {
      if (!response.writableFinished) resolve()
    })
  })
}
