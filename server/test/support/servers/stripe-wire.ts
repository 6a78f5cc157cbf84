import type { IncomingMessage, ServerResponse } from 'node:http'

export interface StripeRequest {
  readonly method: string
  readonly path: string
  readonly parameters: Readonly<Record<string, string>>
  readonly idempotencyKey: string | undefined
  readonly version: string | undefined
}

export interface Reply {
  readonly status: number
  readonly body: unknown
}

/** @returns null if the client disconnected before the request was complete */
export async function readRequest(incoming: IncomingMessage): Promise<StripeRequest | null> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer) // No encoding is set.
  } catch (error) {
    if (incoming.complete) throw error
    return null
  }
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://stripe')
  const body = Buffer.concat(chunks).toString('utf8')
  const { 'idempotency-key': key, 'stripe-version': version } = incoming.headers
  return {
    method: incoming.method ?? '',
    path: pathname,
    parameters: Object.fromEntries([...searchParams, ...new URLSearchParams(body)]),
    idempotencyKey: typeof key === 'string' ? key : undefined,
    version: typeof version === 'string' ? version : undefined,
  }
}

export function listOf(data: readonly unknown[], url: string): Reply {
  return { status: 200, body: { object: 'list', data, has_more: false, url } }
}

export function failure(status: number, code: string, type = 'invalid_request_error'): Reply {
  return { status, body: { error: { type, code, message: code } } }
}

export function send(outgoing: ServerResponse, { status, body }: Reply): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_1' })
  outgoing.end(JSON.stringify(body))
}
