import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The webhook endpoint of a shopping agent: a real server on loopback. */
export interface WebhookReceiver {
  readonly url: string
  /** `host:port`, for OUTBOUND_ALLOW_PRIVATE. */
  readonly host: string
  readonly received: Received[]
  /** How it responds from now on. */
  status: number
  /**
   * Called before a request is read, and before and after the response. It may end the request
   * there.
   */
  watch: (moment: ReceiverMoment) => Promise<'continue' | 'disconnect'>
  stop(): Promise<void>
}

export type ReceiverMoment = 'connected' | 'received' | 'answered'

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      received.push({ headers: incoming.headers, body })
      void answer(outgoing)
    })
  })
  server.on('connection', (socket) => void greet(socket))

  async function greet(socket: Socket): Promise<void> {
    socket.pause()
    if ((await receiver.watch('connected')) === 'disconnect') socket.destroy()
    else socket.resume()
  }

  async function answer(outgoing: ServerResponse): Promise<void> {
    if ((await receiver.watch('received')) === 'disconnect') {
      outgoing.destroy()
      return
    }
    outgoing.once('finish', () => void receiver.watch('answered'))
    outgoing.writeHead(receiver.status, {
      'content-type': 'application/json',
      location: receiver.url,
    })
    outgoing.end(JSON.stringify({ received: true }))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server listening on TCP has an address with a port.
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const receiver: WebhookReceiver = {
    url: `http://${host}/agentic_checkout/webhooks/order_events`,
    host,
    received,
    status: 200,
    watch: () => Promise.resolve('continue'),
    async stop() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  return receiver
}
