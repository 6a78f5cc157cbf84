import { once } from 'node:events'
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface LoadBalancer {
  /** `http://127.0.0.1:port` */
  readonly origin: string
  /** Sends each new request to the next of these addresses; requests that run stay where they are. */
  use(origins: readonly string[]): void
  stop(): Promise<void>
}

/** A round-robin proxy that keeps its connections and retries nothing, so that every failure is seen. */
export async function startLoadBalancer(): Promise<LoadBalancer> {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 })
  let targets: readonly string[] = []
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const target = targets[(turn += 1) % targets.length]
    if (target === undefined) return void outgoing.writeHead(502).end()
    pass(incoming, outgoing, target, agent)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // for TCP, neither null nor a path
  return {
    origin: `http://127.0.0.1:${port}`,
    use: (origins) => void (targets = origins),
    async stop() {
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  target: string,
  agent: Agent,
): void {
  const { method, headers, url = '/' } = incoming
  const upstream = request(new URL(url, target), { method, headers, agent })
  upstream.on('response', (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers)
    response.on('error', () => outgoing.destroy())
    response.pipe(outgoing)
  })
  upstream.on('error', () => (outgoing.headersSent ? outgoing.destroy() : fail(outgoing)))
  outgoing.on('close', () => upstream.destroy())
  incoming.pipe(upstream)
}

function fail(outgoing: ServerResponse): void {
  outgoing.writeHead(502).end('the service did not answer')
}
