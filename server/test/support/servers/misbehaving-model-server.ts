import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServer, type ModelServer } from './model-server.ts'

/** Every known way in which a model provider fails. */
export const misbehaviours = {
  /** Accepts the request and never responds. */
  'stalls before headers': () => {},
  'stalls before the first chunk': (response) => {
    begin(response)
    response.flushHeaders()
  },
  'stalls mid-stream': (response) => {
    begin(response)
    response.write(chunk('Half an'))
  },
  'cuts before headers': (response) => {
    response.socket?.resetAndDestroy()
  },
  'cuts mid-stream': (response) => {
    begin(response)
    response.write(chunk('Half an'), () => response.socket?.destroy())
  },
  'ends without a finish reason': (response) => {
    begin(response)
    response.end(chunk('Half an'))
  },
  'leaves out [DONE]': (response) => {
    begin(response)
    response.end(chunk('All of it.') + last)
  },
  'leaves out the last blank line': (response) => {
    begin(response)
    response.end((chunk('All of it.') + last).trimEnd())
  },
  'leaves out the finish reason': (response) => {
    begin(response)
    response.end(`${chunk('All of it.')}data: [DONE]\n\n`)
  },
  'sends garbage': (response) => {
    begin(response)
    response.end('data: {"choices":[{"delta"\n\n')
  },
  'sends bytes that are not HTTP': (response) => {
    response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n')
  },
  'sends a web page': (response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<!doctype html><title>Welcome</title>')
  },
  'sends an empty object': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{}')
  },
  'answers a stream in one piece': (response) => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
    response.end(
      JSON.stringify({
        choices: [{ message: { content: 'All of it.' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 2 },
      }),
    )
  },
  'sends an error object mid-stream': (response) => {
    begin(response)
    response.end(`${chunk('Half an')}data: {"error":{"message":"upstream died"}}\n\n`)
  },
  'sends an error object with status 200': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"upstream died"}}')
  },
  'sends a huge line': async (response) => {
    begin(response)
    const piece = 'x'.repeat(64 * 1024)
    for (let i = 0; i < 64 && !response.destroyed; i += 1) {
      response.write(i === 0 ? `data: ${piece}` : piece)
      await sleep(1)
    }
    response.end()
  },
  /**
   * Sends each byte in a packet of its own, with CRLF line ends and a comment between the events.
   */
  'sends one byte per packet': async (response) => {
    begin(response)
    const text = `: keep-alive\r\n\r\n${chunk('¿Qué? 日本 👩‍👩‍👧').replaceAll('\n', '\r\n')}${last}data: [DONE]\n\n`
    for (const byte of Buffer.from(text)) {
      response.write(Buffer.of(byte))
      await sleep(1)
    }
    response.end()
  },
  'answers 429 in seconds': (response) => {
    refuse(response, 429, { 'retry-after': '7' })
  },
  'answers 429 with a date': (response) => {
    refuse(response, 429, { 'retry-after': new Date(Date.now() + 30_000).toUTCString() })
  },
  'answers 429 without a time': (response) => refuse(response, 429),
  'answers 400': (response) => refuse(response, 400),
  'answers 401': (response) => refuse(response, 401),
  'answers 403': (response) => refuse(response, 403),
  'answers 404': (response) => refuse(response, 404),
  'answers 413': (response) => refuse(response, 413),
  'answers 422': (response) => refuse(response, 422),
  'answers 500': (response) => refuse(response, 500),
  'answers 502': (response) => refuse(response, 502),
  'answers 503': (response) => refuse(response, 503),
  redirects: (response) => {
    refuse(response, 302, { location: 'http://169.254.169.254/' })
  },
} as const satisfies Record<string, (response: ServerResponse) => void | Promise<void>>

export type Misbehaviour = keyof typeof misbehaviours

/** A model server that always fails in the same way. */
export function startMisbehavingModelServer(misbehaviour: Misbehaviour): Promise<ModelServer> {
  const misbehave: (response: ServerResponse) => void | Promise<void> = misbehaviours[misbehaviour]
  return startServer((response) => misbehave(response))
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
}

function chunk(content: string): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
}

const last = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'

/** The message quotes the key, as some providers do. It must not appear in a log. */
function refuse(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(`{"error":{"message":"Refused: ${response.req.headers.authorization}"}}`)
}
