import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { serviceEnvironment } from '#test/faults/service-environment.ts'
import {
  createDatabase,
  dropDatabase,
  makeDatabase,
  type DatabaseSettings,
} from '#test/support/databases/engines.ts'
import { freePort } from '#test/support/free-port.ts'
import { cleansUp, startParley, type Environment } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'

cleansUp()

describe.skipIf(inject('postgresUrl') === '')('on PostgreSQL, a process that starts', () => {
  let settings: DatabaseSettings
  let environment: Environment

  beforeEach(async () => {
    settings = await createDatabase()
    environment = serviceEnvironment(settings)
  })

  afterEach(() => dropDatabase(settings))

  test.each([
    ['is alive while it creates what a first start creates', false],
    ['beside others refuses connections until it is ready, so that a proxy tries another', true],
  ])('%s', async (_, isSecond) => {
    if (isSecond) await startParley(environment)
    const PORT = String(await freePort())
    const statuses = new Set<number>()
    const ready = new AbortController()
    const asking = (async () => {
      while (!ready.signal.aborted) {
        const status = await statusOf(`http://127.0.0.1:${PORT}/api/v1/models`)
        if (status !== null) statuses.add(status)
      }
    })()
    await startParley({ ...environment, PORT })
    ready.abort()
    await asking
    expect(statuses.has(503)).toBe(!isSecond)
  })
})

describe.each(['sqlite', 'postgres'] as const)('on %s, SHUTDOWN_DRAIN_SECONDS', (engine) => {
  test.skipIf(engine === 'postgres' && inject('postgresUrl') === '')(
    'is how long a process that stops still answers, while proxies see that it is not ready',
    async () => {
      const settings = await makeDatabase(engine)
      const environment = { ...serviceEnvironment(settings), SHUTDOWN_DRAIN_SECONDS: '2' }
      const service = await startParley(environment)
      const readyz = `${service.origin}/readyz`
      expect(await statusOf(readyz)).toBe(200)
      service.signal('SIGTERM')
      await until('it is not ready', async () => (await statusOf(readyz)) === 503)
      const answer = await fetch(`${service.origin}/healthz`)
      expect(answer.status).toBe(200)
      // So that a proxy keeps no connection to it.
      expect(answer.headers.get('connection')).toBe('close')
      expect((await service.finished).code).toBe(0)
      expect(await statusOf(readyz)).toBeNull()
      await dropDatabase(settings)
    },
  )
})

/** Null if the connection is refused. */
async function statusOf(url: string): Promise<number | null> {
  return fetch(url).then(
    ({ status }) => status,
    () => null,
  )
}
