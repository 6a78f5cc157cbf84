import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An application on this computer that waits for the OAuth callback. */
export interface CallbackServer {
  readonly port: number
  /** The parameters of the next callback. */
  next(): Promise<URLSearchParams>
  stop(): Promise<void>
}

export async function startCallbackServer(host = '127.0.0.1'): Promise<CallbackServer> {
  const answers: URLSearchParams[] = []
  let waiting: ((answer: URLSearchParams) => void) | null = null
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<!doctype html><title>Back</title><h1>Back in the application</h1>')
    if (url.pathname !== '/callback') return
    if (waiting === null) answers.push(url.searchParams)
    else waiting(url.searchParams)
    waiting = null
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port, // a TCP socket
    async next() {
      const answer = answers.shift()
      return answer ?? (await new Promise((resolve) => (waiting = resolve)))
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
