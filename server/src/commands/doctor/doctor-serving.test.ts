import { afterEach, describe, expect, test } from 'vitest'
import { makeCaller } from '#test/faults/chat-traffic.ts'
import { serviceEnvironment } from '#test/faults/service-environment.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'
import {
  cleansUp,
  emptyFolder,
  parley,
  startParley,
} from '#test/support/processes/parley-process.ts'
import { metricsToken, oneTurn } from '#test/support/processes/scrape.ts'
import { until } from '#test/support/until.ts'
import { Interval } from '#commands/serving/figures-page.ts'
import { explainServing } from './serving-rules.ts'

cleansUp()

const models: ModelServer[] = []
afterEach(async () => {
  await Promise.all(models.splice(0).map((model) => model.stop()))
})

async function slowModel() {
  const reply = Array.from({ length: 100 }, () => 'word ')
  const model = await startModelServer({ script: () => ({ reply, chunkMs: 100 }) })
  models.push(model)
  return model
}

describe('doctor --serving', () => {
  test('explains that turns wait for a slot while the model is slow', async () => {
    const model = await slowModel()
    const environment = {
      ...serviceEnvironment({ dataDir: await emptyFolder(), databaseUrl: undefined }, model),
      METRICS_TOKEN: metricsToken,
      MODEL_CALLS_AT_ONCE: '1',
    }
    const service = await startParley(environment)
    const caller = await makeCaller(environment)
    const running = Array.from({ length: 4 }, () => oneTurn(service, caller).catch(() => null))
    await until('the model was asked', () => model.requests.length > 0)
    const asked = { ...environment, PORT: new URL(service.origin).port }
    const { code, stdout } = await parley(['doctor', '--serving', '--seconds', '1'], asked)
    expect(stdout).toMatch(/^ok {6}service +one process, watched for 1 s$/m)
    expect(stdout).toMatch(
      /^failed {2}model slots +3 turns wait .*\n +fix: raise MODEL_CALLS_AT_ONCE/m,
    )
    expect(stdout).toMatch(/^ok {6}event loop/m)
    expect(code).toBe(1)
    service.signal('SIGKILL')
    await Promise.all(running)
  })

  test('needs the metrics of a running service, and explains how to get them', async () => {
    const off = await parley(['doctor', '--serving'], {})
    expect(off.stdout).toMatch(/^failed {2}service +reports no metrics\n +fix: set METRICS_PORT/)
    const nothing = { PORT: '1', METRICS_TOKEN: metricsToken }
    const { code, stdout } = await parley(['doctor', '--serving'], nothing)
    expect(code).toBe(1)
    expect(stdout).toContain('does not report its metrics at http://127.0.0.1:1/metrics')
  })
})

test('times are those of the interval, not since the start of the service', () => {
  const page = (fast: number, slow: number) =>
    [
      `parley_db_flush_seconds_bucket{le="0.01"} ${fast}`,
      `parley_db_flush_seconds_bucket{le="0.25"} ${fast + slow}`,
      `parley_db_flush_seconds_bucket{le="+Inf"} ${fast + slow}`,
    ].join('\n')
  const flushes = (earlier: string, later: string) =>
    explainServing(new Interval(earlier, later, 1)).find(({ check }) => check === 'disk flushes')
  expect(flushes(page(1000, 0), page(1010, 10))).toMatchObject({ ok: false })
  expect(flushes(page(1000, 900), page(1010, 900))).toMatchObject({ ok: true })
  expect(flushes(page(1000, 900), page(1000, 900))).toBeUndefined()
})
