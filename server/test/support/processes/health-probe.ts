/** A process that requests an address every 10 ms until its input ends, then prints each latency in ms. */
import { request, Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

const [, , url = ''] = process.argv
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const latencies: number[] = []
const over = new AbortController()
process.stdin.on('end', () => over.abort()).resume()

while (!over.signal.aborted) {
  const startedAt = performance.now()
  await answered()
  latencies.push(Math.round(performance.now() - startedAt))
  await delay(10)
}
process.stdout.write(JSON.stringify(latencies))
agent.destroy()

async function answered(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const asked = request(url, { agent }, (response) => {
    response.resume().on('end', resolve)
    if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
  })
  asked.on('error', reject).end()
  await promise
}
