import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../suite/machine.ts'
import { startProcess, type ServerProcess } from './process.ts'

const run = promisify(execFile)

/** Limits that count every request and stop none. */
const outOfReach = {
  CHAT_RATE_LIMIT: '1000000000',
  CHAT_AGENT_RATE_LIMIT: '1000000000',
  MCP_RATE_LIMITS: 'builder=100000000',
  CHECKOUTS_PER_DAY: '1000000000',
  MODEL_CALLS_AT_ONCE: '100000',
  MAX_CONNECTIONS_PER_ADDRESS: '10000',
  LIMITS:
    'agents_per_workspace=unlimited,keys_per_workspace=unlimited,messages_per_conversation=unlimited',
}

export interface ParleyOptions {
  readonly modelUrl: string
  /** Null uses SQLite. */
  readonly databaseUrl: string | null
  /** The checkout to run. The default is this one. */
  readonly checkout?: string
  /** A folder that is already filled. Without it there is a new one, which ends with the service. */
  readonly dataDir?: string
  /** Variables of the running service alone, not of the commands that set it up. */
  readonly launch?: Readonly<Record<string, string>>
  /** Where the service writes a CPU profile when it stops. */
  readonly profileFolder?: string | null
  /** Further flags of its Node. */
  readonly nodeFlags?: readonly string[]
}

export interface Parley extends ServerProcess {
  /** Runs an operation with `parley call`. */
  call(operation: string, input: object): Promise<Record<string, string>>
}

/** What every process of one instance gets. It is also what `openInstance` needs to fill one. */
export function parleyEnvironment(
  { modelUrl, databaseUrl }: Pick<ParleyOptions, 'modelUrl' | 'databaseUrl'>,
  dataDir: string,
): Record<string, string> {
  return {
    DATA_DIR: dataDir,
    PORT: '0',
    DEMO: 'false',
    LOG_LEVEL: 'warn',
    OWNER_EMAIL: 'owner@example.com',
    OWNER_PASSWORD: 'a long enough password',
    OPENAI_BASE_URL: modelUrl,
    OPENAI_API_KEY: 'bench',
    SECRET_KEY: '5'.repeat(64),
    ...outOfReach,
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
  }
}

export async function newDataDir(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'parley-bench-'))
}

/** Starts the service as `npm start` does, with the mock model as its provider. */
export async function startParley(options: ParleyOptions): Promise<Parley> {
  const { checkout = root, profileFolder = null } = options
  const folder = options.dataDir ?? (await newDataDir())
  const environment = { ...process.env, ...parleyEnvironment(options, folder) }
  const profiling = profileFolder === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]
  const flags = [...profiling, ...(options.nodeFlags ?? [])]
  const service = await startProcess([...flags, join(checkout, 'tools', 'start.mjs')], {
    ...environment,
    ...options.launch,
  })
  return {
    ...service,
    async call(operation, input) {
      const main = join(checkout, 'server', 'src', 'main.ts')
      const args = [main, 'call', operation, JSON.stringify(input)]
      const { stdout } = await run(process.execPath, args, { env: environment })
      return JSON.parse(stdout)
    },
    async stop() {
      await service.stop()
      if (options.dataDir === undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}
