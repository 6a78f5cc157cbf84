import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { describeChat, type ChatService } from '#test/support/chat-service.ts'
import { actorOf, type Person } from '#test/support/test-instance.ts'

/** Units of the flood that wait at any time. */
const flooding = 200
const tries = 20

describeChat('a workspace beside one that floods the writer', (open) => {
  test('writes almost as fast as alone: it does not wait for the other’s queue', async () => {
    const service = await open({
      environment: { DATABASE_POOL_SIZE: '8' },
      model: { script: () => ({ reply: 'Yes.' }) },
    })
    const visit = await visitOf(service)
    // Prepares statements and connections.
    await p95Of(5, visit)
    const idleMs = await p95Of(tries, visit)
    const flood = startFlood(service)
    const besideMs = await p95Of(tries, visit)
    const floodMs = await flood.stop()
    // Without a share of its own, each of the visit's writes would wait as long as the flood's.
    expect(besideMs).toBeLessThan(idleMs + floodMs / 3)
  })
})

/** One visit: a chat turn and a change of the agent by its owner. */
async function visitOf(service: ChatService): Promise<() => Promise<void>> {
  const owner: Person = await service.person()
  const agent = await service.makeAgent({ owner })
  const rename = findOperation('update_app')
  if (rename === undefined) throw new Error('no such operation')
  return async () => {
    const message = { role: 'user', content: 'Hello' }
    const answer = await service.post(
      { model: agent.app_name_id, messages: [message] },
      { authorization: `Bearer ${agent.key}` },
    )
    expect(answer.status).toBe(200)
    const change = { app_id: agent.id, name: `Helper ${performance.now()}` }
    await runOperation(service.ctx, actorOf(owner), rename, change)
  }
}

/** The 95th percentile of `count` runs, in milliseconds. */
async function p95Of(count: number, run: () => Promise<void>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < count; n += 1) {
    const startedAt = performance.now()
    await run()
    times.push(performance.now() - startedAt)
    await sleep(5)
  }
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0
}

/** Long units of another workspace, as many as wait at any time. `stop` returns their median wait. */
function startFlood({ ctx, owner }: ChatService) {
  const stopping = new AbortController()
  const waits: number[] = []
  const keepWriting = async () => {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now()
      await ctx.db.write((tx) => longUnit(tx, ctx.db.engine))
      waits.push(performance.now() - startedAt)
    }
  }
  const loops = ctx.db.forTenant(owner.workspaceId, () =>
    Array.from({ length: flooding }, keepWriting),
  )
  return {
    async stop() {
      stopping.abort()
      await Promise.all(loops)
      return waits.toSorted((one, other) => one - other)[waits.length >> 1] ?? 0
    },
  }
}

/** Holds the writer for about ten milliseconds. */
async function longUnit(tx: Tx, engine: Database['engine']): Promise<void> {
  if (engine === 'postgres') await sql`select pg_sleep(0.02)`.execute(tx)
  else
    await sql`with recursive counter(n) as (select 1 union all select n + 1 from counter where n < 60000)
      select count(*) from counter`.execute(tx)
}
