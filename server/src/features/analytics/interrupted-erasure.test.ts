import { expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { storeSession } from '#test/support/chat/chat-history.ts'
import { actorOf, describeInstance } from '#test/support/test-instance.ts'
import { eraseEndUser } from './index.ts'

const sessions = 130

describeInstance('the erasure of an end user with many conversations', (open) => {
  test('deletes them in short units, and continues after an interruption', async () => {
    const instance = await open()
    const ada = await instance.person()
    const { db, clock } = instance.ctx
    const agent = await createAgent(instance.ctx, ada, { name: 'Discreet' })
    const place = { workspaceId: ada.workspaceId, agentId: agent.id, endUser: 'visitor-ibis' }
    for (let n = 0; n < sessions; n++) {
      const at = clock.now() - n
      const messages = [
        { role: 'user', at, content: 'I am an ibis' },
        { role: 'assistant', at },
      ] as const
      await storeSession(db, { ...place, messages })
    }
    let units = 0
    const killed: typeof db = {
      ...db,
      async write(unit) {
        if (++units === 2) throw new Error('killed')
        return await db.write(unit)
      },
    }
    const user = { appId: agent.id, endUser: 'visitor-ibis' }
    const erase = () =>
      eraseEndUser({ ...instance.ctx, db: killed }, actorOf(ada), ada.workspaceId, user)
    await expect(erase()).rejects.toThrow('killed')
    const { conversations: deletedLast } = await erase()
    const [before, ...parts] = await partsOf(agent.id)
    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThanOrEqual(100)
    // The last event has the sum of the call.
    expect(parts.at(-1)).toBe(deletedLast)
    expect((before ?? 0) + deletedLast).toBe(sessions)
    for (const table of ['chat_sessions', 'chat_messages'] as const) {
      const rows = await db.read.selectFrom(table).selectAll().execute()
      expect(JSON.stringify(rows)).not.toContain('ibis')
    }

    async function partsOf(agentId: string): Promise<number[]> {
      const rows = await db.read
        .selectFrom('audit_events')
        .select('detail_json')
        .where('action', '=', 'erase_end_user')
        .where('target', '=', agentId)
        .orderBy('id')
        .execute()
      return rows.map((row) => Number(JSON.parse(row.detail_json ?? '').conversations))
    }
  })
})
