import { CompiledQuery } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { newId } from '#kernel/ids.ts'
import { describeInstance, type Person, type TestInstance } from '#test/support/test-instance.ts'
import { forgetEntries } from './end-user-store.ts'
import { forgetEndUser } from './forget-end-user.ts'

describeInstance('an end user in the ledger', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  async function addEntries(agentId: string, endUser: string, moments: readonly number[]) {
    const entry = { workspace_id: ada.workspaceId, kind: 'turn', amount_micros: -5 }
    const rows = moments.map((at) => ({
      ...entry,
      id: newId(at),
      agent_id: agentId,
      end_user: endUser,
      counted_at: at,
      created_at: at,
    }))
    await instance.ctx.db.write((tx) => tx.insertInto('credit_entries').values(rows).execute())
  }

  const namesOf = async (agentId: string) => {
    const rows = await instance.ctx.db.read
      .selectFrom('credit_entries')
      .select(['end_user'])
      .where('agent_id', '=', agentId)
      .execute()
    return rows.map(({ end_user }) => end_user)
  }

  test('is forgotten in short units, however many entries have the same time, and may be interrupted', async () => {
    const agent = await createAgent(instance.ctx, ada, { name: 'Discreet' })
    const other = await createAgent(instance.ctx, ada, { name: 'Other' })
    const now = instance.ctx.clock.now()
    // The first unit ends within the entries of one moment.
    const moments = Array.from({ length: 700 }, (_, n) => now + (n < 200 || n > 520 ? n : 200))
    await addEntries(agent.id, 'visitor-ibis', moments)
    await addEntries(agent.id, 'visitor-kea', moments.slice(0, 5))
    await addEntries(other.id, 'visitor-ibis', moments.slice(0, 5))
    const { db } = instance.ctx
    let units = 0
    const killed: typeof db = {
      ...db,
      async write(unit) {
        if (++units === 2) throw new Error('killed')
        return await db.write(unit)
      },
    }
    const place = { workspaceId: ada.workspaceId, agentId: agent.id, everywhere: false }
    const whose = { ...place, endUser: 'visitor-ibis' }
    await expect(forgetEndUser({ db: killed }, whose)).rejects.toThrow('killed')
    const left = (await namesOf(agent.id)).filter((name) => name === 'visitor-ibis')
    expect(left).toHaveLength(700 - 521)
    expect(await forgetEndUser({ db: killed }, whose)).toBe(left.length)
    expect(units).toBe(3)
    expect(new Set(await namesOf(agent.id))).toEqual(new Set([null, 'visitor-kea']))
    expect(await namesOf(other.id)).toEqual(Array.from({ length: 5 }, () => 'visitor-ibis'))
  })

  test('is found by an index, not among all entries of the workspace', async () => {
    const { db, clock } = instance.ctx
    const whose = { workspaceId: ada.workspaceId, agentId: newId(), endUser: 'visitor-gnu' }
    const period = { first: clock.now() - dayMs, last: clock.now() }
    const plan = await db.write(async (tx) => {
      const { sql, parameters } = forgetEntries(tx, whose, period).compile()
      const isPostgres = db.engine === 'postgres'
      // Of a small table, PostgreSQL would read everything.
      if (isPostgres) await tx.executeQuery(CompiledQuery.raw('set local enable_seqscan = off'))
      const explain = isPostgres ? 'explain' : 'explain query plan'
      const { rows } = await tx.executeQuery(
        CompiledQuery.raw(`${explain} ${sql}`, [...parameters]),
      )
      return JSON.stringify(rows)
    })
    expect(plan).toMatch(/credit_entries_by_(end_)?user/)
  })
})
