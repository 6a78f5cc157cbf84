import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below those that systems hand out by themselves (Linux from 32768, others from 49152): there, what
 * listens or connects on any port could be given this one before the program takes it, or while it is
 * started again.
 */
const ports = { from: 15_000, below: 32_000 }

/** A port of loopback that nothing listens on now: for programs that must be told one. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(ports.from, ports.below)
    if (await isFree(port)) return port
  }
  throw new Error('no port of loopback is free')
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
