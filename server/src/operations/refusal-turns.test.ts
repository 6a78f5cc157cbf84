import { AsyncLocalStorage } from 'node:async_hooks'
import { beforeAll, expect, test } from 'vitest'
import { actorOf, describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { findOperation } from './catalogue.ts'
import { runOperation } from './run-operation.ts'

describeInstance('a refused operation', (open) => {
  let instance: TestInstance

  beforeAll(async () => {
    instance = await open()
  })

  test('is recorded in the turn of the actor’s own workspace among the writes', async () => {
    const [ada, stranger] = [await instance.person(), await instance.person()]
    const { db } = instance.ctx
    const turns: (string | undefined)[] = []
    const acting = new AsyncLocalStorage<string>()
    const watched: typeof db = {
      ...db,
      forTenant: (tenant, code) => acting.run(tenant, () => db.forTenant(tenant, code)),
      write: (unit) => {
        turns.push(acting.getStore())
        return db.write(unit)
      },
    }
    const run = (actor: ReturnType<typeof actorOf>, input: Record<string, unknown>) =>
      runOperation({ ...instance.ctx, db: watched }, actor, findOperation('create_app')!, input)

    const beyond = { workspace_id: stranger.workspaceId, name: 'No' }
    await expect(run(actorOf(ada), beyond)).rejects.toMatchObject({ code: 'record_not_found' })
    const withoutScope = actorOf(ada, { scopes: [] })
    await expect(run(withoutScope, { name: 'No' })).rejects.toMatchObject({ code: 'scope_missing' })
    expect(turns).toEqual([ada.workspaceId, ada.workspaceId])
  })
})
