import { Agent, request as send } from 'node:http'
import { createServer } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { makeCaller, type Caller } from '#test/faults/chat-traffic.ts'
import { serviceEnvironment } from '#test/faults/service-environment.ts'
import {
  createDatabase,
  dropDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'
import {
  cleansUp,
  emptyFolder,
  parley,
  startParley,
  type Environment,
  type ParleyProcess,
} from '#test/support/processes/parley-process.ts'
import { logLines, readyWorkers, untilReady } from '#test/support/processes/service-log.ts'
import { until } from '#test/support/until.ts'

cleansUp()

describe('WORKERS', () => {
  test('above 1 stops the start on SQLite with one line', async () => {
    const environment = { PORT: '0', WORKERS: '2', DATA_DIR: await emptyFolder() }
    const { code, stdout, stderr } = await parley(['start'], environment)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      'parley: WORKERS above 1 requires PostgreSQL, because SQLite serves one process: set DATABASE_URL, or WORKERS=1\n',
    )
  })
})

// Skipped if npm has no PostgreSQL for the platform; global-setup.ts explains this once, with a
// fix.
describe.skipIf(inject('postgresUrl') === '')('two workers', () => {
  let database: DatabaseSettings
  let model: ModelServer
  let environment: Environment
  beforeEach(async () => {
    database = await createDatabase()
    const words = Array.from({ length: 12 }, (_, index) => `word${index} `)
    model = await startModelServer({ script: () => ({ reply: words, chunkMs: 100 }) })
    environment = {
      ...serviceEnvironment(database, model),
      LOG_LEVEL: 'debug',
      OWNER_PASSWORD: '',
      WORKERS: '2',
    }
  })
  afterEach(async () => {
    await model.stop()
    await dropDatabase(database)
  })

  async function stop(service: ParleyProcess): Promise<void> {
    service.signal('SIGTERM')
    expect((await service.finished).code).toBe(0)
  }

  test('report a port in use in one line', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const address = taken.address()
    const PORT = String(typeof address === 'object' ? address?.port : '')
    const { code, stderr } = await parley(['start'], { ...environment, PORT })
    taken.close()
    expect(code).toBe(1)
    expect(stderr).toBe(
      `parley: port ${PORT} is in use on 127.0.0.1: stop the process that listens there, or set PORT to another\n`,
    )
  })

  test('share one port and one log, and continue each other’s sessions', async () => {
    const service = await startParley(environment)
    const workers = await untilReady(service, 2)
    const caller = await makeCaller(environment)
    // Connections go to the workers in turn.
    const connections = [oneConnection(), oneConnection()]
    const sessions: unknown[] = []
    for (const [index, agent] of connections.entries()) {
      await ask(
        service,
        { ...caller, key: 'svc_ck_wrong' },
        { agent, correlation: `from-${index}` },
      )
      const { status, session } = await ask(service, caller, { agent, session: sessions[0] })
      expect(status).toBe(200)
      sessions.push(session)
    }
    expect(sessions[1]).toBe(sessions[0])
    const [, second] = model.requests
    expect(second?.body.messages).toHaveLength(3) // The first turn and the question.
    for (const agent of connections) agent.destroy()
    await stop(service)
    const { stdout, stderr } = await service.finished
    expect(stdout.match(/ready at/g)).toHaveLength(1)
    expect(stdout.match(/\/setup\?token=/g)).toHaveLength(1)
    const lines = logLines(service)
    expect(lines).toHaveLength(stderr.trimEnd().split('\n').length)
    const served = [0, 1].map((n) => lines.find(({ requestId }) => requestId === `from-${n}`)?.pid)
    expect(new Set(served)).toEqual(new Set(workers))
    const created = lines.filter(({ msg }) => msg === 'schema created').map(({ pid }) => pid)
    expect(created).toEqual([workers[0]])
  })

  test('finish their streams after SIGTERM, and accept no new connection', async () => {
    const service = await startParley(environment)
    await untilReady(service, 2)
    const caller = await makeCaller(environment)
    const answers = await Promise.all([stream(service, caller), stream(service, caller)])
    service.signal('SIGTERM')
    await until('both workers are stopping', () => stoppingWorkers(service).length === 2)
    await expect(fetch(`${service.origin}/healthz`)).rejects.toThrow()
    for (const answer of answers) expect(await answer.text()).toMatch(/word11.*data: \[DONE\]/s)
    expect((await service.finished).code).toBe(0)
  })

  test('finish their streams and end when the supervisor is killed', async () => {
    const service = await startParley(environment)
    const workers = await untilReady(service, 2)
    const answer = await stream(service, await makeCaller(environment))
    service.signal('SIGKILL')
    expect(await answer.text()).toMatch(/word11.*data: \[DONE\]/s)
    await until('no worker is left', () => !workers.some(isAlive))
  })

  test('are restarted when they are killed, while the other one serves', async () => {
    const service = await startParley(environment)
    const [first = 0] = await untilReady(service, 2)
    process.kill(first, 'SIGKILL')
    await until('its end is logged', () => service.log().includes('a worker ended'))
    for (let n = 0; n < 4; n++) expect((await fetch(`${service.origin}/readyz`)).status).toBe(200)
    await untilReady(service, 3)
    const replaced = logLines(service)
      .filter(({ msg }) => msg === 'a worker is ready')
      .at(-1)
    expect(replaced?.worker).toBe(1)
    await stop(service)
    expect((await service.finished).stdout.match(/ready at/g)).toHaveLength(1)
  })

  test('are replaced without a failed request when one is asked to end', async () => {
    const service = await startParley(environment)
    const [, second = 0] = await untilReady(service, 2)
    const answer = await stream(service, await makeCaller(environment))
    process.kill(second, 'SIGTERM')
    expect(await answer.text()).toContain('[DONE]')
    await untilReady(service, 3)
    await stop(service)
  })

  test(
    'stop the service with one line when they end again and again',
    { timeout: 300_000 },
    async () => {
      const service = await startParley(environment)
      const workers = await untilReady(service, 2)
      await dropDatabase(database)
      for (const pid of workers) process.kill(pid, 'SIGKILL')
      const { code, stderr } = await service.finished
      expect(code).toBe(1)
      expect(stderr).toMatch(/^parley: PostgreSQL .* has no such database/m)
      expect(stderr).toMatch(
        /^parley: no worker serves, and worker [12] ended 6 times in a row soon after its start: the lines above say why$/m,
      )
      expect(readyWorkers(service)).toHaveLength(2)
    },
  )

  test('end at once at the second signal', async () => {
    const service = await startParley(environment)
    const workers = await untilReady(service, 2)
    const answer = await stream(service, await makeCaller(environment))
    service.signal('SIGINT')
    await until('both workers are stopping', () => stoppingWorkers(service).length === 2)
    await new Promise((resolve) => setTimeout(resolve, 450)) // Longer than one Ctrl-C under npm.
    service.signal('SIGINT')
    expect((await service.finished).code).toBe(130)
    await expect(answer.text()).rejects.toThrow()
    await until('no worker is left', () => !workers.some(isAlive))
  })
})

function oneConnection(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 })
}

interface Sent {
  readonly agent: Agent
  readonly session?: unknown
  readonly correlation?: string
}

/** A turn over a connection of the caller's choice, which `fetch` does not offer. */
async function ask(service: ParleyProcess, caller: Caller, { agent, session, correlation }: Sent) {
  const body = { model: caller.model, messages: [{ role: 'user', content: 'Hello' }] }
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; session: unknown }>()
  const headers = {
    authorization: `Bearer ${caller.key}`,
    'content-type': 'application/json',
    ...(typeof session === 'string' && { 'x-chat-session-id': session }),
    ...(correlation !== undefined && { 'x-correlation-id': correlation }),
  }
  const url = `${service.origin}/api/v1/chat/completions`
  const request = send(url, { method: 'POST', agent, headers }, (response) => {
    const { statusCode: status = 0 } = response
    json(response).then(
      () => resolve({ status, session: response.headers['x-chat-session-id'] }),
      reject,
    )
  })
  request.on('error', reject)
  request.end(JSON.stringify(body))
  return await promise
}

async function stream(service: ParleyProcess, caller: Caller): Promise<Response> {
  return await fetch(`${service.origin}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: caller.model,
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
    }),
  })
}

function stoppingWorkers(service: ParleyProcess): readonly unknown[] {
  return logLines(service).filter(({ msg }) => msg === 'stopping')
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false // ESRCH: there is no such process.
  }
}
