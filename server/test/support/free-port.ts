import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below the ports that operating systems assign automatically (Linux from 32768, others from
 * 49152). A port in that range could be assigned to another program before ours listens on it or
 * while ours restarts.
 */
const ports = { from: 15_000, below: 32_000 }

/** A loopback port that is free now, for programs that need a port number in advance. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(ports.from, ports.below)
    if (await isFree(port)) return port
  }
  throw new Error('no loopback port is free')
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const isTaken = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(true))
    server.listen(port, '127.0.0.1', () => resolve(false))
  })
  if (!isTaken) await new Promise((resolve) => server.close(resolve))
  return !isTaken
}
