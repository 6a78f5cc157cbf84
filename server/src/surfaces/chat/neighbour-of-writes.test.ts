import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { actorOf, type Person } from '#test/support/test-instance.ts'

/** Units of the flood that wait at any time. */
const flooding = 300
const visits = 9

describeChat('a workspace beside one that floods the writer', (open) => {
  test('does not wait for the units that the other one has waiting', async () => {
    const service = await open({
      environment: { DATABASE_POOL_SIZE: '8' },
      model: { script: () => ({ reply: 'Yes.' }) },
    })
    const visit = await visitOf(service)
    // Prepares statements and connections.
    await visit()
    await using flood = startFlood(service)
    const waited = await flood.endedDuring(visits, visit)
    // Without a share of its own, each of the visit's writes would wait for all of the flood's.
    expect(median(waited)).toBeLessThan(flooding / 2)
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

/**
 * Long units of another workspace, as many as wait at any time. Counting those that end during a
 * visit does not depend on the machine: whatever delays the visit delays them as well.
 */
function startFlood({ ctx, owner }: ChatService) {
  const stopping = new AbortController()
  let ended = 0
  const keepWriting = async () => {
    while (!stopping.signal.aborted) {
      await ctx.db.write((tx) => longUnit(tx, ctx.db.engine))
      ended += 1
    }
  }
  const loops = ctx.db.forTenant(owner.workspaceId, () =>
    Array.from({ length: flooding }, keepWriting),
  )
  return {
    /** How many units end during each of `count` runs; fewer runs if they take far too long. */
    async endedDuring(count: number, run: () => Promise<void>): Promise<number[]> {
      const counts: number[] = []
      for (let n = 0; n < count && sum(counts) < count * flooding; n += 1) {
        const before = ended
        await run()
        counts.push(ended - before)
      }
      return counts
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
}

/** Holds the writer, or a connection, for 10 to 20 ms. */
async function longUnit(tx: Tx, engine: Database['engine']): Promise<void> {
  if (engine === 'postgres') await sql`select pg_sleep(0.02)`.execute(tx)
  else
    await sql`with recursive counter(n) as (select 1 union all select n + 1 from counter where n < 100000)
      select count(*) from counter`.execute(tx)
}
