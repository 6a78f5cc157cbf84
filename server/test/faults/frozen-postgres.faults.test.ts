import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect, test } from 'vitest'
import { migrate } from '#platform/db/open-database.ts'
import { postgresAbsence, startPostgres } from '#test/support/databases/embedded-postgres.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { makeCaller, type Caller } from './chat-traffic.ts'
import { recordFault } from './record-fault.ts'
import { serviceEnvironment } from './service-environment.ts'

const log = pino({ level: 'silent' })

cleansUp()

// Skipped where npm has no binaries for the platform; global-setup.ts reports that once, with a
// fix.
test.skipIf(postgresAbsence() !== null)(
  'while PostgreSQL is frozen, every request gets 503 within five seconds, and after it the service answers',
  async () => {
    const postgres = await startPostgres()
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-frozen-'))
    const settings = { dataDir, databaseUrl: postgres.url, databasePoolSize: 6 }
    const model = await startModelServer({ record: false })
    try {
      await migrate(settings, log)
      const environment = {
        ...serviceEnvironment(settings, model),
        DATABASE_POOL_SIZE: '6',
        LOG_LEVEL: 'warn',
        // The log of slow statements has a limit of its own.
        SLOW_STATEMENT_MS: '60000',
      }
      const caller = await makeCaller(environment)
      const service = await startParley(environment)
      const ask = (path: string) => asked(service.origin, path, caller)
      expect((await ask(turn)).status).toBe(200)
      // Frozen amid statements, then with connections that nothing uses.
      const stopProbing = probe(() => ask('/healthz'))
      const early = Array.from({ length: 24 }, () => ask(turn))
      await postgres.freeze()
      const late = Array.from({ length: 24 }, (_, n) => ask(paths[n % paths.length] ?? turn))
      const answers = [...(await Promise.all(late)), ...(await Promise.all(early))]
      const further = await Promise.all(paths.map(ask))
      const plain = await stopProbing()
      // What a busy machine adds to every answer.
      const mostMs = 5_000 + plain
      for (const { status, ms } of [...answers, ...further])
        expect([status, ms < mostMs]).toEqual([status === 200 ? 200 : 503, true])
      for (const { status } of further) expect(status).toBe(503)
      await postgres.thaw()
      const thawedAt = performance.now()
      await until('it is ready', async () => (await ask('/readyz')).status === 200)
      expect((await ask(turn)).status).toBe(200)
      const healthyAfterMs = performance.now() - thawedAt
      const failed = [...answers, ...further].filter(({ status }) => status !== 200).length
      const tries = answers.length + further.length
      const fault = 'PostgreSQL frozen: connections stay open, nothing is answered'
      recordFault({ fault, engine: 'postgres', tries, lost: 0, failed, healthyAfterMs })
      const lines = service.log().trim().split('\n')
      expect(lines).toEqual([
        expect.stringMatching(/"err"/),
        expect.stringContaining('PostgreSQL answers again'),
      ])
      service.signal('SIGTERM')
      expect((await service.finished).code).toBe(0)
    } finally {
      await model.stop()
      await postgres.stop()
      await rm(dataDir, { recursive: true })
    }
  },
)

/** Asks again and again. @returns ends it, with the milliseconds of the slowest answer */
function probe(ask: () => Promise<{ readonly ms: number }>): () => Promise<number> {
  const over = new AbortController()
  const probing = (async () => {
    let slowest = 0
    while (!over.signal.aborted) slowest = Math.max(slowest, (await ask()).ms)
    return slowest
  })()
  return async () => {
    over.abort()
    return await probing
  }
}

const turn = '/api/v1/chat/completions'
const paths = [turn, '/readyz', '/mcp']

/** Asks for a turn, whether the service is ready, or calls MCP with an unknown token. */
async function asked(origin: string, path: string, { model, key }: Caller) {
  const startedAt = performance.now()
  const body = JSON.stringify(
    path === turn
      ? { model, messages: [{ role: 'user', content: 'Hello' }] }
      : { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  )
  const response = await fetch(`${origin}${path}`, {
    headers: {
      authorization: `Bearer ${path === turn ? key : `svc_at_${'a'.repeat(43)}`}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    ...(path === '/readyz' || path === '/healthz' ? {} : { method: 'POST', body }),
    signal: AbortSignal.timeout(60_000),
  })
  await response.arrayBuffer()
  return { status: response.status, ms: performance.now() - startedAt }
}
