import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cpuSeconds } from './cpu-time.ts'
import { main, startScript } from '../scripts.ts'

const run = promisify(execFile)

/** Limits that count every turn and stop none. */
const outOfReach = {
  CHAT_RATE_LIMIT: '1000000000',
  CHAT_AGENT_RATE_LIMIT: '1000000000',
  MODEL_CALLS_AT_ONCE: '100000',
}

export interface BenchService {
  readonly origin: string
  /** An agent's public name and chat key, by the mock's model name. */
  readonly agents: Readonly<
    Record<'mock' | 'paced', { readonly name: string; readonly key: string }>
  >
  readonly readySeconds: number
  /** Megabytes of resident memory now. */
  memory(): Promise<number>
  /** CPU seconds used so far, user and system. */
  cpu(): Promise<number>
  stop(): Promise<void>
}

/**
 * Starts the service as a user does, on its own folder or database, with the mock as its provider.
 * If `profileFolder` is given, the service writes a CPU profile there when it stops.
 */
export async function startService(
  modelBaseUrl: string,
  databaseUrl: string | null,
  profileFolder: string | null,
): Promise<BenchService> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const environment = {
    ...process.env,
    DATA_DIR: folder,
    PORT: '0',
    DEMO: 'false',
    LOG_LEVEL: 'warn',
    OWNER_EMAIL: 'owner@example.com',
    OWNER_PASSWORD: 'a long enough password',
    OPENAI_BASE_URL: modelBaseUrl,
    OPENAI_API_KEY: 'bench',
    ...outOfReach,
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl, SECRET_KEY: '5'.repeat(64) }),
  }
  const startedAt = performance.now()
  const profiling = profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
  const child = spawn(process.execPath, [...profiling, startScript], {
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
  const agent = async (model: string) => {
    const made = await call('create_app', { name: 'Bench', model: `openai/${model}` })
    const { key } = await call('create_chat_key', { app_id: made.id, name: 'bench' })
    return { name: String(made.app_name_id), key: String(key) }
  }
  return {
    origin,
    agents: { mock: await agent('mock'), paced: await agent('paced') },
    readySeconds,
    memory: () => memoryOf(child.pid),
    cpu: () => cpuSeconds(String(child.pid)),
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
