import { expect, test } from 'vitest'
import { newId } from '#kernel/ids.ts'
import type { Database } from '#platform/db/database.ts'
import { describeEngines } from '#test/support/databases/engines.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { cleansUp, startParley } from '#test/support/processes/parley-process.ts'
import { until } from '#test/support/until.ts'
import { callOperation } from './call-operation.ts'
import { recordFault } from './record-fault.ts'
import { refuseChanges } from './refuse-changes.ts'
import { kill, letTimePass } from './kill.ts'
import { serviceEnvironment } from './service-environment.ts'

const sessions = 400
const messagesEach = 50

interface Place {
  readonly workspace_id: string
  readonly agent_id: string
}

/** Enough conversations for dozens of units during their deletion. */
async function converse(db: Database, place: Place): Promise<void> {
  const ids = Array.from({ length: sessions }, () => newId())
  const talk = { agent_version: 1, source: 'api', message_count: messagesEach, end_user: null }
  const times = { created_at: 1, last_message_at: 1, lease_token: null, lease_until: 0 }
  await db.write((tx) =>
    tx
      .insertInto('chat_sessions')
      .values(ids.map((id) => ({ ...place, ...talk, ...times, id })))
      .execute(),
  )
  for (let n = 0; n < sessions; n += 20) {
    const messages = ids.slice(n, n + 20).flatMap((session_id) =>
      Array.from({ length: messagesEach }, (_, seq) => ({
        session_id,
        seq: seq + 1,
        id: newId(),
        role: 'user',
        content: 'Said and to be forgotten',
        created_at: 1,
      })),
    )
    await db.write((tx) => tx.insertInto('chat_messages').values(messages).execute())
  }
}

describeEngines('kill -9 during the permanent deletion of a workspace', (engine) => {
  cleansUp()

  test('the next process deletes the rest, and the other workspace stays unchanged', async () => {
    const model = await startModelServer()
    const environment = {
      ...serviceEnvironment(engine.settings(), model),
      WORKSPACE_RETENTION_DAYS: '0',
    }
    const call = (operation: string, input: object) => callOperation(environment, operation, input)
    const db = engine.database()
    const places: Place[] = []
    for (const name of ['Kept', 'Gone']) {
      const { id: workspace_id } = await call('create_workspace', { name })
      const agent = await call('create_app', { name, workspace_id })
      places.push({ workspace_id, agent_id: agent.id })
      await converse(db, { workspace_id, agent_id: agent.id })
    }
    const [kept, gone] = places as [Place, Place] // One for each name.
    await call('delete_workspace', { workspace_id: gone.workspace_id, confirm_name: 'Gone' })
    const messagesLeft = async () => {
      const query = db.read.selectFrom('chat_messages').select((e) => e.fn.countAll().as('count'))
      return Number((await query.executeTakeFirstOrThrow()).count)
    }
    const all = 2 * sessions * messagesEach
    // Agents are deleted after their messages.
    const allowChanges = await refuseChanges(db, {
      table: 'agents',
      kind: 'delete',
      when: `old.workspace_id = '${gone.workspace_id}'`,
    })
    const first = await startParley(environment)
    await until('some are deleted', async () => (await messagesLeft()) < all)
    await kill(first, db)
    await allowChanges()
    const found = () =>
      db.read.selectFrom('workspaces').select('id').where('id', '=', gone.workspace_id).execute()
    expect(await found()).toHaveLength(1)
    await expect(call('restore_workspace', { id: gone.workspace_id })).rejects.toThrow(/not_found/)
    await letTimePass(db)
    const startedAt = performance.now()
    const second = await startParley(environment)
    await until('the workspace is gone', async () => (await found()).length === 0)
    const healthyAfterMs = performance.now() - startedAt
    for (const table of ['agents', 'chat_sessions', 'audit_events'] as const) {
      const rows = await db.read
        .selectFrom(table)
        .select('id')
        .where('workspace_id', '=', gone.workspace_id)
        .execute()
      expect([table, rows]).toEqual([table, []])
    }
    expect(await messagesLeft()).toBe(all / 2)
    expect(await call('get_app', { app_id: kept.agent_id })).toMatchObject({ name: 'Kept' })
    recordFault({
      fault: 'kill -9 during the deletion of a workspace: all of it is deleted, and nothing else',
      engine: engine.name,
      tries: all,
      lost: 0,
      failed: 0,
      healthyAfterMs,
    })
    second.signal('SIGTERM')
    await second.finished
    await model.stop()
  })
})
