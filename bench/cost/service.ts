import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { FormBrowser } from '../../server/test/support/browser/form-browser.ts'

const run = promisify(execFile)

export const account = { email: 'owner@example.com', password: 'a long enough password' }

/** Limits that count every request and stop none. A checkout ignores those that it does not know. */
const outOfReach = {
  CHAT_RATE_LIMIT: '1000000000',
  CHAT_AGENT_RATE_LIMIT: '1000000000',
  MODEL_CALLS_AT_ONCE: '100000',
  MCP_RATE_LIMITS: 'builder=100000000',
  SIGN_IN_ATTEMPTS_LIMIT: '1000000',
  SESSIONS_PER_PERSON: '10000',
}

/** CPU seconds used so far, user and system. */
export interface CpuTime {
  /** Of all threads of the process; hashing passwords is done in others than the event loop's. */
  readonly whole: number
  /** Of the thread that runs the event loop. */
  readonly loop: number
}

export interface CostService {
  readonly origin: string
  readonly agentName: string
  readonly chatKey: string
  readonly developerKey: string
  readonly accessToken: string
  cpu(): Promise<CpuTime>
  /** Ends the sessions of all sign-ins so far, if the checkout has a command for it. */
  endSessions(): Promise<void>
  stop(): Promise<void>
}

interface Settings {
  /** The folder of a checkout with its packages. */
  readonly checkout: string
  readonly modelBaseUrl: string
  readonly databaseUrl: string | null
}

/** Starts the service of a checkout as a user does, with one credential of each kind. */
export async function startCheckout(settings: Settings): Promise<CostService> {
  const { checkout, modelBaseUrl, databaseUrl } = settings
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'))
  const env = {
    ...process.env,
    DATA_DIR: folder,
    PORT: '0',
    DEMO: 'false',
    LOG_LEVEL: 'warn',
    OWNER_EMAIL: account.email,
    OWNER_PASSWORD: account.password,
    OPENAI_BASE_URL: modelBaseUrl,
    OPENAI_API_KEY: 'bench',
    ...outOfReach,
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl, SECRET_KEY: '5'.repeat(64) }),
  }
  const child = spawn(process.execPath, [join(checkout, 'tools/start.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const origin = await untilReady(child)
  const call = async (operation: string, input: object): Promise<Record<string, string>> => {
    const main = join(checkout, 'server/src/main.ts')
    const args = [main, 'call', operation, JSON.stringify(input)]
    const { stdout } = await run(process.execPath, args, { env })
    return JSON.parse(stdout)
  }
  const agent = await call('create_app', { name: 'Bench', model: 'openai/mock' })
  const chat = await call('create_chat_key', { app_id: agent.id, name: 'bench' })
  const developer = await call('create_developer_key', { name: 'bench' })
  return {
    origin,
    agentName: String(agent.app_name_id),
    chatKey: String(chat.key),
    developerKey: String(developer.key),
    accessToken: await obtainToken(origin),
    cpu: () => cpuTime(child.pid),
    async endSessions() {
      const args = ['user', 'end-sessions', '--email', account.email]
      await run(process.execPath, [join(checkout, 'server/src/main.ts'), ...args], { env }).catch(
        requireUnknownCommand,
      )
    },
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Older checkouts have no such command. */
function requireUnknownCommand(error: unknown): void {
  const isUsage = error instanceof Error && /unexpected|usage/i.test(error.message)
  if (!isUsage) throw error
}

async function untilReady(child: ChildProcess): Promise<string> {
  let printed = ''
  for await (const piece of child.stdout ?? []) {
    printed += String(piece)
    const found = /ready at (http:\/\/\S+)/.exec(printed)
    if (found?.[1] === undefined) continue
    child.stdout?.resume()
    return found[1]
  }
  throw new Error(`the service did not start: ${printed}`)
}

/**
 * By the nanoseconds of its threads (`/proc/PID/task/TID/schedstat`): the ticks of `/proc/PID/stat`
 * are too coarse for short samples.
 */
async function cpuTime(pid: number | undefined): Promise<CpuTime> {
  const tasks = `/proc/${pid}/task`
  const threads = (await readdir(tasks)).map(async (thread) => {
    const [nanoseconds] = (await readFile(join(tasks, thread, 'schedstat'), 'utf8')).split(' ')
    return { isLoop: thread === String(pid), seconds: Number(nanoseconds) / 1e9 }
  })
  const times = await Promise.all(threads)
  return {
    whole: times.reduce((sum, { seconds }) => sum + seconds, 0),
    loop: times.find(({ isLoop }) => isLoop)?.seconds ?? Number.NaN,
  }
}

/** A browser that has just signed in. */
export async function signIn(origin: string): Promise<FormBrowser> {
  const browser = new FormBrowser((url, init) => fetch(url, { ...init, redirect: 'manual' }), {
    origin,
  })
  await browser.open('/login')
  const fields = browser.formOf('/login')
  for (const [name, value] of Object.entries(account)) fields.set(name, value)
  await browser.post('/login', fields)
  return browser
}

/** Goes through the consent pages, as an assistant's person does. */
async function obtainToken(origin: string): Promise<string> {
  const browser = await signIn(origin)
  const verifier = randomBytes(32).toString('base64url')
  const client = { client_id: 'svc_mcp_cli', redirect_uri: 'http://localhost:4567/callback' }
  const question = new URLSearchParams({
    ...client,
    response_type: 'code',
    scope: '*',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  await browser.open(`/mcp/oauth/authorize?${question}`)
  const back = await browser.submit('/mcp/oauth/consent', { decision: 'authorize' })
  const code = new URL(back ?? origin).searchParams.get('code')
  const response = await fetch(`${origin}/mcp/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...client,
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
    }),
  })
  const answer = (await response.json()) as { readonly access_token?: string } // Checked below.
  if (answer.access_token === undefined) throw new Error(`no token: ${JSON.stringify(answer)}`)
  return answer.access_token
}
