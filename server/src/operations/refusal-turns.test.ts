import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
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
  const refusalsOf = ({ userId }: { readonly userId: string }) =>
    instance.ctx.db.read
      .selectFrom('audit_events')
      .select(['action', 'detail_json'])
      .where('user_id', '=', userId)
      .where('outcome', '=', 'refused')
      .execute()
  const attempt = (actor: ReturnType<typeof actorOf>, name: string, input: object) =>
    runOperation(instance.ctx, actor, findOperation(name)!, input).then(
      () => expect.fail('it was not refused'),
      () => undefined,
    )

  test('leaves one row per minute, however many workspaces a person invents', async () => {
    const ada = await instance.person()
    for (let n = 0; n < 30; n += 1)
      await attempt(actorOf(ada), 'create_app', { workspace_id: randomUUID(), name: 'No' })
    await attempt(actorOf(ada), 'update_workspace', { workspace_id: randomUUID(), name: 'No' })
    expect((await refusalsOf(ada)).map(({ action }) => action)).toEqual([
      'create_app',
      'update_workspace',
    ])
  })

  test('leaves at most a hundred rows per person and minute', async () => {
    const ada = await instance.person()
    const actor = actorOf(ada, { scopes: [] })
    for (let n = 0; n < 110; n += 1) await attempt(actor, 'create_app', { name: 'No' })
    expect(await refusalsOf(ada)).toHaveLength(100)
  })
})
