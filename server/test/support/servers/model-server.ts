import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { wireAnswer, type ModelScript } from './model-wires.ts'

export interface RecordedRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Record<string, unknown>
  /** The number of its TCP connection, from 1. */
  readonly connection: number
  /** Resolves when the connection is closed before the response was complete. */
  readonly aborted: Promise<void>
}

export interface ModelServerOptions {
  /** The text of the answer, or the pieces that a stream sends one by one. */
  readonly reply?: string | readonly string[]
  /** What it lists, as OpenAI does; without them it has no list. */
  readonly models?: readonly string[]
  /** Chooses per request; `n` counts from 0. */
  readonly script?: (request: RecordedRequest, n: number) => ModelScript
  /** False keeps no requests, which saves memory and time in benchmarks. */
  readonly record?: boolean
}

export interface ModelServer {
  /** `http://127.0.0.1:port` */
  readonly origin: string
  /** With `/v1`. */
  readonly baseUrl: string
  readonly requests: RecordedRequest[]
  /** Resolves with the `n`th request, counted from 0, when it has arrived. */
  request(n: number): Promise<RecordedRequest>
  /** The requests whose response is not complete yet. */
  answering(): number
  connections(): number
  openSockets(): number
  stop(): Promise<void>
}

/** Handles one request; `body` is the client's parsed body. */
export type Handler = (
  response: ServerResponse,
  request: RecordedRequest,
  n: number,
) => void | Promise<void>

/** Runs any handler on a free loopback port and records its requests. */
export async function startServer(handler: Handler, record = true): Promise<ModelServer> {
  const requests: RecordedRequest[] = []
  const waiting = new Map<number, (request: RecordedRequest) => void>()
  const sockets = new Map<Socket, number>()
  let connections = 0
  let count = 0
  let answering = 0

  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = []
    incoming.on('data', (piece: Buffer) => pieces.push(piece))
    incoming.on('end', () => {
      const n = count++
      const request = {
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: parse(Buffer.concat(pieces)),
        connection: sockets.get(incoming.socket) ?? 0,
        aborted: record ? abortOf(response) : never,
      }
      if (record) {
        requests.push(request)
        waiting.get(n)?.(request)
      }
      answering += 1
      // A handler that fails is a bug in the test. Closing the connection makes the client notice.
      Promise.resolve(handler(response, request, n))
        .catch((error: unknown) =>
          response.destroy(error instanceof Error ? error : new Error(String(error))),
        )
        .finally(() => (answering -= 1))
    })
  })
  server.on('connection', (socket) => {
    connections += 1
    sockets.set(socket, connections)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  })
  const origin = await listen(server)
  return {
    origin,
    baseUrl: `${origin}/v1`,
    requests,
    request: (n) =>
      requests[n] === undefined
        ? new Promise((resolve) => waiting.set(n, resolve))
        : Promise.resolve(requests[n]),
    answering: () => answering,
    connections: () => connections,
    openSockets: () => sockets.size,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/**
 * A model server with OpenAI's `/v1/chat/completions`, Anthropic's `/v1/messages` and Google's
 * `models/…:generateContent`, with and without streaming. Responses are serialized once, so that a
 * benchmark can use it as its baseline.
 */
export function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const same: ModelScript = { reply: options.reply ?? 'Hello from the model.' }
  const list = JSON.stringify({ data: options.models?.map((id) => ({ id })) })
  return startServer((response, request, n) => {
    if (options.models !== undefined && request.path.endsWith('/models')) {
      response.end(list)
      return
    }
    const script = options.script?.(request, n) ?? same
    return answer(response, request, script)
  }, options.record)
}

async function answer(
  response: ServerResponse,
  { path, body }: RecordedRequest,
  script: ModelScript,
): Promise<void> {
  if (script.firstByteMs !== undefined) await sleep(script.firstByteMs)
  if (script.after !== undefined) await script.after
  if (script.status !== undefined) {
    response.writeHead(script.status, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"refused by the test"}}')
    return
  }
  const wire = wireAnswer(path, body, script)
  if (!wire.stream) {
    response.writeHead(200, wire.headers)
    response.end(wire.whole)
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const chunk of wire.chunks) {
    if (response.destroyed) return
    if (!response.write(chunk))
      await Promise.race([once(response, 'drain'), once(response, 'close')])
    if (script.chunkMs !== undefined) await sleep(script.chunkMs)
  }
  if (script.endsAfter !== undefined) await script.endsAfter
  response.end(wire.end)
}

/** Servers that keep no requests do not listen for their end, which would add to their cost. */
const never = new Promise<void>(() => {})

function abortOf(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.on('close', () => {
      if (!response.writableFinished) resolve()
    })
  })
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server listening on TCP has an address with a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function parse(body: Buffer): Record<string, unknown> {
  if (body.length === 0) return {}
  // The clients of this server send JSON objects.
  return JSON.parse(body.toString()) as Record<string, unknown>
}
