import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { makeCaller, Traffic } from '#test/faults/chat-traffic.ts'
import { serviceEnvironment } from '#test/faults/service-environment.ts'
import { expectStored } from '#test/faults/under-traffic.ts'
import {
  createDatabase,
  dropDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { freePort } from '#test/support/free-port.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'
import {
  cleansUp,
  emptyFolder,
  startParley,
  type Environment,
  type ParleyProcess,
} from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { absenceOf, root } from './tools.ts'

const absence = absenceOf(['caddy']) ?? (inject('postgresUrl') === '' ? 'no PostgreSQL' : null)
const callers = 8
const words = Array.from({ length: 10 }, (_, n) => `word${n} `)

cleansUp()

/** deploy/Caddyfile, and the processes of compose.yaml without their containers. */
describe.skipIf(absence !== null)('two replicas behind Caddy', () => {
  let settings: DatabaseSettings
  let model: ModelServer
  let ports: readonly number[]
  let environment: Environment
  let replicas: ParleyProcess[]
  let caddy: Caddy
  let traffic: Traffic

  const start = (n: number) => startParley({ ...environment, PORT: String(ports[n]) })

  beforeEach(async () => {
    settings = await createDatabase()
    model = await startModelServer({
      record: false,
      script: (_: unknown, n: number) => ({ reply: words, firstByteMs: n % 50, chunkMs: 5 }),
    })
    ports = [await freePort(), await freePort()]
    caddy = await Caddy.start(ports)
    environment = {
      ...serviceEnvironment(settings, model),
      BASE_URL: caddy.origin,
      LOG_LEVEL: 'error',
      SHUTDOWN_DRAIN_SECONDS: '4',
    }
    replicas = [await start(0), await start(1)]
    await caddy.seesAll(ports)
    const caller = await makeCaller(environment)
    traffic = new Traffic(caddy.origin, caller, callers)
    await traffic.untilMore(40)
  })

  afterEach(async () => {
    await traffic.stop()
    await caddy.stop()
    for (const replica of replicas) replica.signal('SIGKILL')
    await Promise.all(replicas.map(({ finished }) => finished))
    await model.stop()
    await dropDatabase(settings)
  })

  test('fail no request while one after the other stops and starts again', async () => {
    for (const [n, replica] of replicas.entries()) {
      replica.signal('SIGTERM')
      expect(await replica.finished).toMatchObject({ code: 0, stderr: '' })
      await traffic.untilMore(40)
      replicas[n] = await start(n)
      await caddy.seesAll(ports)
      await traffic.untilMore(80)
    }
    await traffic.stop()
    expect([traffic.broken, traffic.unfinished, ...traffic.refusals]).toEqual([0, 0])
    await expectStored(settings, traffic)
  })

  test('fail only the requests that a replica was answering when it was killed', async () => {
    replicas[0]?.signal('SIGKILL')
    await replicas[0]?.finished
    replicas[0] = await start(0)
    await caddy.seesAll(ports)
    await traffic.untilMore(200)
    await traffic.stop()
    expect(traffic.failed).toBeLessThanOrEqual(callers)
    expect([...traffic.refusals.keys()].filter((status) => status !== 502)).toEqual([])
    await expectStored(settings, traffic)
  })
})

class Caddy {
  readonly origin: string
  private readonly child: ChildProcess
  /** The addresses of the replicas that Caddy sends requests to. */
  private readonly up = new Set<string>()

  private constructor(child: ChildProcess, port: number) {
    this.child = child
    const log = createInterface({ input: child.stderr ?? Readable.from([]) })
    log.on('line', (line) => this.read(line))
    this.origin = `http://127.0.0.1:${port}`
  }

  /** @param ports those of the replicas */
  static async start(ports: readonly number[]): Promise<Caddy> {
    const port = await freePort()
    const folder = await emptyFolder()
    const file = join(folder, 'Caddyfile')
    const own = await readFile(join(root, 'deploy/Caddyfile'), 'utf8')
    const named = ports.reduce(
      (text, replica, n) => text.replace(`parley-${n + 1}:3000`, `127.0.0.1:${replica}`),
      own,
    )
    await writeFile(file, `{\n\tadmin off\n}\n${named}`)
    const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
      env: { PATH: process.env.PATH, HOME: folder, DOMAIN: `http://127.0.0.1:${port}` },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const caddy = new Caddy(child, port)
    await until('Caddy answers', () => caddy.answers())
    return caddy
  }

  /** Caddy logs each failed check of a replica, and the first check that succeeds again. */
  private read(line: string): void {
    // Caddy writes its log as JSON.
    const entry = JSON.parse(line) as { logger?: string; msg: string; host?: string }
    if (entry.logger !== 'http.handlers.reverse_proxy.health_checker.active') return
    if (entry.msg === 'host is up') this.up.add(entry.host ?? '')
    else this.up.delete(entry.host ?? '')
  }

  /**
   * Waits until Caddy sends requests to every replica. Until then, the replicas must not be
   * stopped: Caddy answers a POST with 503 at once while it knows of no replica.
   */
  async seesAll(ports: readonly number[]): Promise<void> {
    await until('Caddy sees all replicas', () =>
      ports.every((port) => this.up.has(`127.0.0.1:${port}`)),
    )
  }

  private async answers(): Promise<boolean> {
    if (this.child.exitCode !== null) throw new Error(`Caddy ended with ${this.child.exitCode}`)
    return fetch(this.origin).then(
      () => true,
      () => false,
    )
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit')
    this.child.kill('SIGTERM')
    await ended
  }
}
