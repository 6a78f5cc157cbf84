import { expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { newId } from '#kernel/ids.ts'
import type { Database } from '#platform/db/database.ts'
import { describeInstance } from '#test/support/test-instance.ts'
import { joinVisitor } from './index.ts'

const many = 450

describeInstance('a visitor with many conversations who is identified', (open) => {
  test('gets them in short units, which share the writer as the workspace’s', async () => {
    const { ctx, person } = await open()
    const { workspaceId, ...ada } = await person()
    const { id: agentId } = await createAgent(ctx, { workspaceId, ...ada }, { name: 'Widget' })
    const rows = Array.from({ length: many }, (_, n) => ({
      id: newId(),
      workspace_id: workspaceId,
      agent_id: agentId,
      agent_version: 1,
      source: 'page',
      end_user: 'anonymous',
      created_at: n,
      last_message_at: n,
      message_count: 1,
      lease_token: null,
      lease_until: 0,
    }))
    await ctx.db.write((tx) => tx.insertInto('chat_sessions').values(rows).execute())
    const ofPerson = (db: Pick<Database['read'], 'selectFrom'>) =>
      db.selectFrom('chat_sessions').select('id').where('end_user', '=', 'ada').execute()
    const moved: number[] = []
    const tenants: string[] = []
    const db: Database = {
      ...ctx.db,
      forTenant(tenant, code) {
        tenants.push(tenant)
        return ctx.db.forTenant(tenant, code)
      },
      async write(unit) {
        return await ctx.db.write(async (tx) => {
          const before = (await ofPerson(tx)).length
          const result = await unit(tx)
          moved.push((await ofPerson(tx)).length - before)
          return result
        })
      },
    }
    const joining = { workspaceId, agentId, from: 'anonymous', to: 'ada', endsAt: 1 }
    expect(await joinVisitor({ ...ctx, db }, joining)).toBe(true)
    expect(Math.max(...moved)).toBe(200)
    expect(tenants).toContain(workspaceId)
    expect(await ofPerson(ctx.db.read)).toHaveLength(many)
  })
})
