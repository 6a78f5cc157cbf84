import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Where a shopping agent is told of orders: a real server on loopback. */
export interface WebhookReceiver {
  readonly url: string
  /** `host:port`, for OUTBOUND_ALLOW_PRIVATE. */
  readonly host: string
  readonly received: Received[]
  /** How it answers from now on. */
  status: number
  stop(): Promise<void>
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      received.push({ headers: incoming.headers, body })
      outgoing.writeHead(receiver.status, {
        'content-type': 'application/json',
        location: receiver.url,
      })
      outgoing.end(JSON.stringify({ received: true }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server listening on TCP has an address with a port.
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const receiver: WebhookReceiver = {
    url: `http://${host}/agentic_checkout/webhooks/order_events`,
    host,
    received,
    status: 200,
    async stop() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  return receiver
}
