import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Actor } from '#kernel/actor.ts'
import {
  actorOf,
  describeInstance,
  type Person,
  type TestInstance,
} from '#test/support/test-instance.ts'
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
      .select(['action', 'target', 'detail_json', 'via_id', 'workspace_id'])
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

  describe('with one credential, a hundred times in a minute', () => {
    const key = (id: string) => ({ kind: 'developer_key', id, client: 'a key' }) as const
    const unscoped = (person: Person, narrower: Partial<Actor> = {}) =>
      actorOf(person, { scopes: [], ...narrower })
    const flood = async (actor: Actor) => {
      for (let n = 0; n < 110; n += 1) await attempt(actor, 'create_app', { name: 'No' })
    }
    let ada: Person

    beforeAll(async () => {
      ada = await instance.person()
      await flood(unscoped(ada, { via: key('noisy') }))
    })

    test('leaves one more row, which says that further refusals are not recorded', async () => {
      const rows = await refusalsOf(ada)
      expect(rows).toHaveLength(101)
      const gaps = rows.filter(({ action }) => action === 'omit_refusals')
      expect(gaps).toEqual([expect.objectContaining({ via_id: 'noisy', target: null })])
      expect(gaps[0]?.workspace_id).toBe(ada.workspaceId)
      expect(JSON.parse(gaps[0]?.detail_json ?? '')).toEqual({
        recorded: 100,
        none_recorded_until: expect.stringMatching(/^\d{4}-.*Z$/),
      })
    })

    test.each([
      ['another key', { via: key('stolen') }],
      ['a sign-in session', { session: 'stolen-session' }],
      ['the command line', { surface: 'cli' }],
    ] as const)('does not hide the person’s refusals with %s', async (_, narrower) => {
      const before = (await refusalsOf(ada)).length
      const foreign = { workspace_id: randomUUID(), name: 'No' }
      await attempt(unscoped(ada, narrower), 'create_app', { name: 'No' })
      await attempt(actorOf(ada, narrower), 'create_app', foreign)
      expect(await refusalsOf(ada)).toHaveLength(before + 2)
    })

    test('does not hide what the same key does in another workspace', async () => {
      const other = await instance.person()
      await instance.join(ada, other.workspaceId, 'viewer')
      const input = { workspace_id: other.workspaceId, name: 'No' }
      await attempt(actorOf(ada, { via: key('noisy') }), 'create_app', input)
      const rows = await refusalsOf(ada)
      const there = rows.filter((row) => row.workspace_id === other.workspaceId)
      expect(there.map(({ action }) => action)).toEqual(['create_app'])
    })
  })

  test('leaves at most 500 rows in a minute, however many keys a person uses', async () => {
    const ada = await instance.person()
    for (let n = 0; n < 520; n += 1) {
      const via = { kind: 'developer_key', id: `key-${n % 20}`, client: 'a key' } as const
      await attempt(actorOf(ada, { scopes: [], via }), 'create_app', { name: 'No' })
    }
    const rows = await refusalsOf(ada)
    expect(rows).toHaveLength(501)
    expect(rows.filter(({ action }) => action === 'omit_refusals')).toHaveLength(1)
  })
})
