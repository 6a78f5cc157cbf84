import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { emptyFolder, startParley, type Environment, type ParleyProcess } from './parley-process.ts'
import { FormBrowser } from '#test/support/browser/form-browser.ts'
import { until } from '#test/support/until.ts'

const probe = join(import.meta.dirname, 'health-probe.ts')
const monitor = join(import.meta.dirname, 'loop-monitor.ts')
const owner = { email: 'owner@example.com', password: 'Zq-kimberlite-77-quartz' }

export interface Answered {
  readonly status: number
  readonly body: string
}

/** A real service process with an agent, its chat key, and its owner's browser and developer key. */
export interface AttackedService {
  readonly parley: ParleyProcess
  readonly agent: { readonly id: string; readonly app_name_id: string }
  readonly chatKey: string
  post(
    path: string,
    body: string,
    headers?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<Answered>
  chat(body: string): Promise<Answered>
  /** A request with any method. */
  send(method: string, path: string, init?: RequestInit): Promise<Answered>
  /** A request below `/api/v1` with the chat key. */
  api(method: string, path: string, body?: string | FormData): Promise<Answered>
  /** An operation of the dashboard. */
  operation(name: string, body: string, signal?: AbortSignal): Promise<Answered>
  /** A GET request of the dashboard. The body is read and dropped: it can be long. */
  page(path: string): Promise<Answered>
  mcp(body: string): Promise<Answered>
  /** The longest CPU time of a turn of the event loop since the last call, in ms. */
  longestTurnMs(): Promise<number>
}

export async function startAttacked(environment: Environment = {}): Promise<AttackedService> {
  const loopFile = join(await emptyFolder(), 'loop')
  const parley = await startParley({
    NODE_OPTIONS: `--import=${monitor}`,
    LOOP_FILE: loopFile,
    DATA_DIR: await emptyFolder(),
    OWNER_EMAIL: owner.email,
    OWNER_PASSWORD: owner.password,
    DEMO: 'false',
    LOG_LEVEL: 'error',
    ...environment,
  })
  const { baseUrl } = parley
  const browser = new FormBrowser(
    async (url, init) => await fetch(url, { ...init, redirect: 'manual' }),
    { origin: baseUrl },
  )
  await browser.open('/login')
  await browser.submit('/login', owner)
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const ownPage = { cookie, origin: baseUrl, 'sec-fetch-site': 'same-origin' }

  const post: AttackedService['post'] = async (path, body, headers = {}, signal) => {
    const response = await fetch(new URL(path, baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      ...(signal !== undefined && { signal }),
    })
    return { status: response.status, body: await response.text() }
  }
  const send: AttackedService['send'] = async (method, path, init = {}) => {
    const { body } = init
    const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
    const headers = { ...type, ...(init.headers as Record<string, string>) }
    const response = await fetch(new URL(path, baseUrl), { ...init, method, headers })
    return { status: response.status, body: await response.text() }
  }
  const operation: AttackedService['operation'] = async (name, body, signal) =>
    await post(`/api/dashboard/operations/${name}`, body, ownPage, signal)
  const created = async (name: string, input: object) => {
    const { status, body } = await operation(name, JSON.stringify(input))
    if (status !== 200) throw new Error(`${name}: ${status} ${body}`)
    return JSON.parse(body)
  }
  const agent = await created('create_app', { name: 'Victim', model: 'local/extractive' })
  const { key } = await created('create_chat_key', { app_id: agent.id, name: 'key' })
  const { key: developerKey } = await created('create_developer_key', { name: 'key' })
  return {
    parley,
    agent,
    chatKey: key,
    post,
    send,
    operation,
    api: async (method, path, body) =>
      await send(method, `/api/v1${path}`, {
        headers: { authorization: `Bearer ${key}` },
        ...(body !== undefined && { body }),
      }),
    chat: async (body) =>
      await post('/api/v1/chat/completions', body, { authorization: `Bearer ${key}` }),
    async page(path) {
      const response = await fetch(new URL(path, baseUrl), { headers: ownPage })
      for await (const _ of response.body ?? []);
      return { status: response.status, body: '' }
    },
    mcp: async (body) => await post('/mcp', body, { authorization: `Bearer ${developerKey}` }),
    async longestTurnMs() {
      await rm(loopFile, { force: true })
      parley.signal('SIGUSR2')
      let written = ''
      await until('the longest turn is written', async () => {
        written = await readFile(loopFile, 'utf8').catch(() => '')
        return written !== ''
      })
      return Number(written)
    },
  }
}

/** The same percentile of a server that works in slices of 5 ms: what this machine allows now. */
export async function healthOfBusyServer(ms: number): Promise<number> {
  const file = join(import.meta.dirname, 'busy-server.ts')
  const child = spawn(process.execPath, ['--no-warnings', file], { stdio: 'pipe' })
  const [address] = await once(child.stdout, 'data')
  try {
    return await healthDuring({ baseUrl: String(address).trim() }, ms)
  } finally {
    child.stdin.end()
  }
}

/** The 99th percentile of the latency of `/healthz`, in ms, measured by another process meanwhile. */
export async function healthDuring(
  { baseUrl }: Pick<ParleyProcess, 'baseUrl'>,
  ms: number,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const args = ['--no-warnings', probe, new URL('/healthz', baseUrl).href]
  const child = execFile(process.execPath, args, (error, stdout) =>
    error === null ? resolve(stdout) : reject(error),
  )
  await delay(ms)
  child.stdin?.end()
  const latencies: number[] = JSON.parse(await promise)
  return (
    latencies.sort((one, other) => one - other)[Math.floor(latencies.length * 0.99)] ?? Infinity
  )
}
