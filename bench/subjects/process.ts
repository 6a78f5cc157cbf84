import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { childrenOf, cpuSecondsOfFamily } from '../chat/cpu-time.ts'

/** A server that runs beside the bench, as its own process. */
export interface ServerProcess {
  /** `http://127.0.0.1:port` */
  readonly origin: string
  readonly pid: number
  readonly readySeconds: number
  /** Megabytes of resident memory now, of the process and its children. */
  memory(): Promise<number>
  /** CPU seconds that it and its children have used so far, user and system. */
  cpu(): Promise<number>
  stop(): Promise<void>
}

/** Starts a server with this Node and waits until it prints its address. */
export async function startProcess(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<ServerProcess> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A bench that fails leaves no server behind.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const origin = await originOf(child)
  const pid = String(child.pid)
  return {
    origin,
    pid: Number(pid),
    readySeconds: (performance.now() - startedAt) / 1000,
    memory: () => residentMegabytes(pid),
    cpu: () => cpuSecondsOfFamily(pid),
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      // A peer may not stop while connections are open.
      const patience = setTimeout(() => child.kill('SIGKILL'), 20_000)
      await exited
      clearTimeout(patience)
    },
  }
}

/** @throws if it ends without an address, with the last that it printed */
async function originOf(child: ChildProcess): Promise<string> {
  let printed = ''
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const read = (piece: unknown) => {
    printed = (printed + String(piece)).slice(-4_000)
    const [, port] = /http:\/\/(?:localhost|127\.0\.0\.1):(\d+)/.exec(printed) ?? []
    if (port !== undefined) resolve(`http://127.0.0.1:${port}`)
  }
  child.stdout?.on('data', read)
  child.stderr?.on('data', read)
  child.on('error', reject)
  child.on('exit', () => reject(new Error(`the server did not start: ${printed}`)))
  return await promise
}

async function residentMegabytes(pid: string): Promise<number> {
  const pids = [pid, ...(await childrenOf(pid))]
  const sizes = await Promise.all(
    pids.map(async (one) => {
      // A child may have ended meanwhile.
      const status = await readFile(`/proc/${one}/status`, 'utf8').catch(() => '')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
