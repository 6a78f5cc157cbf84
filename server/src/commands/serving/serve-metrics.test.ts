import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { makeCaller } from '#test/faults/chat-traffic.ts'
import { serviceEnvironment } from '#test/faults/service-environment.ts'
import {
  createDatabase,
  describeEngines,
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
} from '#test/support/processes/parley-process.ts'
import { metricsToken, oneTurn, Scrape, scrape } from '#test/support/processes/scrape.ts'
import { untilReady } from '#test/support/processes/service-log.ts'

cleansUp()

let model: ModelServer
beforeEach(async () => {
  model = await startModelServer()
})
afterEach(() => model.stop())

describeEngines('/metrics', (engine) => {
  const environment = (more: Environment) => ({
    ...serviceEnvironment(engine.settings(), model),
    ...more,
  })

  test('does not exist unless a port or a token is set', async () => {
    const service = await startParley(environment({}))
    expect((await fetch(`${service.origin}/metrics`)).status).toBe(404)
  })

  test('requires its token, and counts turns, tokens, requests and commits', async () => {
    const service = await startParley(environment({ METRICS_TOKEN: metricsToken }))
    const refused = await fetch(`${service.origin}/metrics`, {
      headers: { authorization: 'Bearer something else' },
    })
    expect(refused.status).toBe(401)
    const caller = await makeCaller(environment({}))
    expect(await oneTurn(service, caller)).toContain('[DONE]')
    expect(await oneTurn(service, { ...caller, key: 'svc_ck_wrong' })).toContain('error')
    const seen = await scrape(service)
    expect(seen.text).toMatch(/# EOF\n$/)
    expect(seen.text).toContain('# TYPE parley_turns counter')
    const turn = '{provider="openai",outcome="ok"}'
    expect(seen.get(`parley_turns_total${turn}`)).toBe(1)
    expect(seen.get('parley_turn_first_chunk_seconds_count{provider="openai"}')).toBe(1)
    expect(
      seen.get('parley_tokens_total{provider="openai",direction="completion"}'),
    ).toBeGreaterThan(0)
    expect(seen.get('parley_http_requests_total{surface="chat",outcome="ok"}')).toBe(1)
    expect(seen.get('parley_http_requests_total{surface="chat",outcome="refused"}')).toBe(1)
    expect(seen.get('parley_http_requests_total{surface="ops",outcome="refused"}')).toBe(1)
    expect(seen.get('parley_model_calls_total{provider="openai"}')).toBe(1)
    const stored =
      engine.name === 'sqlite' ? 'commit_seconds_count' : 'batch_seconds_count{batch="writes"}'
    expect(seen.get(`parley_db_${stored}`)).toBeGreaterThan(0)
    expect(seen.names).toContain('nodejs_eventloop_lag_p99_seconds')
    expect(seen.names).toContain('parley_jobs')
    expect(seen.names.has('parley_db_pool_connections')).toBe(engine.name === 'postgres')
    expect(seen.text).not.toContain(caller.model)
  })
})

test('METRICS_PORT serves the metrics without a credential, and only them', async () => {
  const environment = serviceEnvironment({ dataDir: await emptyFolder(), databaseUrl: undefined })
  const port = await freePort()
  await startParley({ ...environment, METRICS_PORT: String(port) })
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  expect(response.headers.get('content-type')).toContain('application/openmetrics-text')
  expect(new Scrape(await response.text()).get('parley_processes')).toBe(1)
  expect((await fetch(`http://127.0.0.1:${port}/login`)).status).toBe(404)
})

describe.skipIf(inject('postgresUrl') === '')('with two workers', () => {
  let database: DatabaseSettings
  beforeEach(async () => {
    database = await createDatabase()
  })
  afterEach(() => dropDatabase(database))

  test('a worker and the supervisor report the sum of all workers', async () => {
    const port = await freePort()
    const environment = { ...serviceEnvironment(database, model), LOG_LEVEL: 'info' }
    const service = await startParley({
      ...environment,
      WORKERS: '2',
      METRICS_TOKEN: metricsToken,
      METRICS_PORT: String(port),
    })
    await untilReady(service, 2)
    const caller = await makeCaller(environment)
    for (let turn = 0; turn < 4; turn += 1) await oneTurn(service, caller)
    const ofSupervisor = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    for (const seen of [await scrape(service), new Scrape(ofSupervisor)]) {
      expect(seen.get('parley_processes')).toBe(2)
      expect(seen.get('parley_turns_total{provider="openai",outcome="ok"}')).toBe(4)
    }
  })
})
