/**
 * A server that is always busy but never for more than 5 ms at once: its latency is the best that a
 * service under attack can have on this machine now. It prints its address.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((_, response) => response.end('{}'))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo // of TCP
  process.stdout.write(`http://127.0.0.1:${port}/\n`)
  work()
})
process.stdin.on('end', () => process.exit()).resume()

function work(): void {
  const until = performance.now() + 5
  while (performance.now() < until);
  setImmediate(work)
}
