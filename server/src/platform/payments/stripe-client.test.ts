import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { connectStripe } from './stripe-client.ts'

/** A payment provider whose answer begins like a payment and never ends. */
async function endless(begin: string, more: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' })
    const piece = more.repeat(Math.ceil(16_384 / more.length))
    const pieces = function* () {
      yield begin
      for (;;) yield piece
    }
    Readable.from(pieces())
      .on('error', () => undefined)
      .pipe(response)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // It listens on TCP.
  return `http://127.0.0.1:${port}`
}

test.each([
  ['long', '{"id":"pi_1","metadata":{"a":"', 'a'],
  ['of many values', '{"id":"pi_1","a":[0', ',0'],
  ['deeply nested', '{"id":"pi_1","a":', '['],
])('an answer of Stripe that is %s is not read to its end', async (_, begin, more) => {
  const apiBase = await endless(begin, more)
  const { client } = await connectStripe({ secretKey: 'sk', apiBase, timeoutMs: 60_000 })
  const startedAt = performance.now()
  await expect(client.paymentIntents.retrieve('pi_1')).rejects.toThrow(/Stripe/)
  expect(performance.now() - startedAt).toBeLessThan(20_000)
})
