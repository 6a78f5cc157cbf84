import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy that adds a credential to every request, for clients that accept only an address. */
export interface BearerProxy {
  readonly origin: string
  /** Forwards requests to the service from now on. */
  forwardTo(target: { readonly origin: string; readonly key: string }): void
  stop(): Promise<void>
}

/** A proxy on loopback. It keeps Host and Origin unchanged, because some scenarios test them. */
export async function startBearerProxy(): Promise<BearerProxy> {
  let target = { origin: '', key: '' }
  const server: Server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${target.key}` }
    const url = new URL(incoming.url ?? '/', target.origin)
    const forwarded = request(url, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    outgoing.on('close', () => forwarded.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server listening on TCP has an address with a port.
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    origin,
    forwardTo(next) {
      target = next
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
