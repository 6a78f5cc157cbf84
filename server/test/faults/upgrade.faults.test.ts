import { describe, expect, inject, test } from 'vitest'
import { schemaStatus } from '#platform/db/open-database.ts'
import { createDatabase, dropDatabase } from '#test/support/databases/engines.ts'
import { freePort } from '#test/support/free-port.ts'
import { startLoadBalancer, type LoadBalancer } from '#test/support/processes/load-balancer.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import {
  cleansUp,
  parleyMain,
  startParley,
  type Environment,
  type ParleyProcess,
} from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { Traffic } from './chat-traffic.ts'
import { checkOutFormer, formerVersions, removeOtherCheckouts } from './former-version.ts'
import { callDashboard, callTool, ownerOf, type Owner } from './owner-of.ts'
import { recordFault } from './record-fault.ts'
import { RepeatedCalls } from './repeated-calls.ts'
import { serviceEnvironment } from './service-environment.ts'
import { expectStored } from './under-traffic.ts'

const words = Array.from({ length: 20 }, (_, n) => `word${n} `)
/** How long the versions run beside each other: `UPGRADE_MINUTES=10` for a long run. */
const besideMs = Number(process.env.UPGRADE_MINUTES ?? 0.1) * 60_000
const versions = inject('postgresUrl') === '' ? [] : formerVersions()
const because = versions.length > 0 ? '' : ' (skipped: no PostgreSQL, or no earlier commit)'

cleansUp()

describe.skipIf(versions.length === 0)(`an upgrade, process by process${because}`, () => {
  test.each(versions)(
    'from commit %s fails no request of chat, MCP or dashboard, and loses no turn',
    { timeout: 900_000 + besideMs },
    async (commit) => {
      await removeOtherCheckouts(versions)
      const former = await checkOutFormer(commit)
      const settings = await createDatabase()
      const script = (_: unknown, n: number) => ({ reply: words, firstByteMs: n % 50, chunkMs: 5 })
      const model = await startModelServer({ record: false, script })
      const balancer = await startLoadBalancer()
      try {
        const environment = {
          ...serviceEnvironment(settings, model),
          ...outOfReach,
          BASE_URL: balancer.origin,
          LOG_LEVEL: 'error',
        }
        const old = [await started(environment, former), await started(environment, former)]
        const { pending } = await schemaStatus(settings)
        const { traffic, calls } = await replaced(balancer, old, environment)
        const failed = [traffic.broken, traffic.unfinished, ...traffic.refusals, ...calls.failures]
        expect(failed, 'failed requests').toEqual([0, 0])
        await expectStored(settings, traffic)
        const tries = traffic.tries + calls.answered
        const fault = 'An upgrade, one process at a time, under traffic'
        recordFault({ fault, engine: 'postgres', tries, lost: 0, failed: 0, healthyAfterMs: 0 })
        if (pending.length > 0) await expectRefused(environment, former)
      } finally {
        await balancer.stop()
        await model.stop()
        await dropDatabase(settings)
      }
    },
  )
})

interface Serving {
  readonly service: ParleyProcess
  readonly origin: string
}

/** Replaces one process after the other while callers use all surfaces, and returns their traffic. */
async function replaced(
  balancer: LoadBalancer,
  old: readonly Serving[],
  environment: Environment,
): Promise<{ traffic: Traffic; calls: RepeatedCalls }> {
  let serving = [...old]
  const balance = () => balancer.use(serving.map(({ origin }) => origin))
  balance()
  const owner = await ownerOf(balancer.origin)
  const traffic = new Traffic(balancer.origin, owner.caller, 6)
  const calls = new RepeatedCalls(callsOf(owner))
  try {
    await untilMore(traffic, calls)
    for (const [n, leaving] of old.entries()) {
      serving = serving.with(n, await started(environment, parleyMain))
      balance()
      leaving.service.signal('SIGTERM')
      // After the last one, no old process is left.
      const endsAt = performance.now() + (n < old.length - 1 ? besideMs : 0)
      do await untilMore(traffic, calls)
      while (performance.now() < endsAt && !hasFailed(traffic, calls))
      expect(await leaving.service.finished).toMatchObject({ code: 0, stderr: '' })
    }
  } finally {
    await Promise.all([traffic.stop(), calls.stop()])
  }
  for (const { service } of serving) {
    service.signal('SIGTERM')
    expect(await service.finished).toMatchObject({ code: 0, stderr: '' })
  }
  return { traffic, calls }
}

/** Limits that this traffic does not reach. */
const outOfReach = {
  MCP_RATE_LIMITS: 'builder=100000000',
  DASHBOARD_RATE_LIMIT: 'unlimited',
  AGENT_VERSIONS_KEPT: '10',
  LIMITS: 'sources_per_agent=1000000,queued_sources_per_workspace=1000000',
}

async function started(environment: Environment, program: string): Promise<Serving> {
  const port = await freePort()
  const service = await startParley({ ...environment, PORT: String(port) }, '', program)
  return { service, origin: `http://127.0.0.1:${port}` }
}

function callsOf(owner: Owner) {
  const app_id = owner.agentId
  let n = 0
  return {
    me: () => fetch(`${owner.origin}/api/dashboard/me`, { headers: owner.headers }),
    'list_conversations in the dashboard': () =>
      callDashboard(owner, 'list_conversations', { app_id, limit: 20 }),
    'update_app in the dashboard': () =>
      callDashboard(owner, 'update_app', { app_id, description: `Number ${(n += 1)}` }),
    'list_apps over MCP': () => callTool(owner, 'list_apps', {}),
    'add_knowledge_source over MCP': () => {
      const text = `Goods may be returned within ${(n += 1)} days.`
      return callTool(owner, 'add_knowledge_source', {
        app_id,
        kind: 'text',
        title: 'Returns',
        text,
      })
    },
  }
}

async function untilMore(traffic: Traffic, calls: RepeatedCalls): Promise<void> {
  const [turns, answers] = [traffic.acknowledged.length + 40, calls.answered + 40]
  const isMore = () => traffic.acknowledged.length >= turns && calls.answered >= answers
  await until('requests are answered', () => isMore() || hasFailed(traffic, calls))
}

function hasFailed(traffic: Traffic, calls: RepeatedCalls): boolean {
  return traffic.failed > 0 || calls.failures.length > 0
}

/** A downgrade: the earlier version does not start on the later schema, and one line explains it. */
async function expectRefused(environment: Environment, former: string): Promise<void> {
  await expect(started(environment, former)).rejects.toThrow(
    /with 1 before it was ready: parley: The database has schema \d+ \(.*\), which is newer than this version of Parley\. Install the newer version, or restore a backup made before it\.\n$/,
  )
}
