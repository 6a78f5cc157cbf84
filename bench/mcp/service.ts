import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { main, startScript } from '../scripts.ts'

const run = promisify(execFile)

/** The service has the last core to itself. The clients and PostgreSQL run on the others. */
const onOneCore = ['taskset', '--cpu-list', String(cpus().length - 1)] as const

export interface McpBenchService {
  readonly origin: string
  readonly key: string
  readonly appId: string
  readonly readySeconds: number
  /** Megabytes of resident memory now. */
  memory(): Promise<number>
  /** CPU seconds used so far, user and system. */
  cpu(): Promise<number>
  stop(): Promise<void>
}

/**
 * Starts the service as a user does, on its own folder or database.
 *
 * @param limited whether its plan has a rate limit, which is too high to be reached
 */
export async function startService(
  databaseUrl: string | null,
  limited: boolean,
): Promise<McpBenchService> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const environment = {
    ...process.env,
    DATA_DIR: folder,
    PORT: '0',
    DEMO: 'false',
    LOG_LEVEL: 'warn',
    OWNER_EMAIL: 'owner@example.com',
    OWNER_PASSWORD: 'a long enough password',
    MCP_RATE_LIMITS: limited ? 'builder=100000000' : 'builder=unlimited',
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl, SECRET_KEY: '5'.repeat(64) }),
  }
  const startedAt = performance.now()
  const [command, ...args] = [...onOneCore, process.execPath, startScript]
  const child = spawn(command, args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const origin = await untilReady(child)
  const readySeconds = (performance.now() - startedAt) / 1000
  const call = async (operation: string, input: object): Promise<Record<string, string>> => {
    const args = [main, 'call', operation, JSON.stringify(input)]
    const { stdout } = await run(process.execPath, args, { env: environment })
    return JSON.parse(stdout)
  }
  const { key } = await call('create_developer_key', { name: 'bench' })
  const { id } = await call('create_app', { name: 'Bench' })
  return {
    origin,
    key: String(key),
    appId: String(id),
    readySeconds,
    memory: () => memoryOf(child.pid),
    cpu: () => cpuOf(child.pid),
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function untilReady(child: ChildProcess): Promise<string> {
  let printed = ''
  for await (const piece of child.stdout ?? []) {
    printed += String(piece)
    const found = /ready at (http:\/\/\S+)/.exec(printed)
    if (found?.[1] === undefined) continue
    child.stdout?.resume()
    return found[1].replace('localhost', '127.0.0.1')
  }
  throw new Error(`the service did not start: ${printed}`)
}

async function memoryOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}

async function cpuOf(pid: number | undefined): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const clockTicksPerSecond = 100
  return (Number(fields[11]) + Number(fields[12])) / clockTicksPerSecond
}
