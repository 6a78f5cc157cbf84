import { beforeAll, expect, test } from 'vitest'
import type { Actor } from '#kernel/actor.ts'
import { dayMs } from '#kernel/durations.ts'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { grantFlow } from '#test/support/identity/oauth-flow.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

interface Key {
  readonly id: string
  readonly key: string
  readonly scopes: readonly string[]
  readonly expires_at: string | null
}

describeInstance('developer keys and connected apps', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open({ BASE_URL: 'http://localhost:3000' })
    ada = await instance.person()
  })

  const run = async <T>(name: string, input: object, actor: Actor = actorOf(ada)): Promise<T> => {
    const operation = findOperation(name)
    if (operation === undefined) throw new Error(`no operation ${name}`)
    // The caller states the type of the result.
    return (await runOperation(instance.ctx, actor, operation, input)) as T
  }
  const ids = async (actor?: Actor) => {
    const { items } = await run<{ items: { id: string }[] }>('list_developer_keys', {}, actor)
    return items.map(({ id }) => id)
  }

  test('a key is shown once, and by default has all scopes and never expires', async () => {
    const made = await run<Key>('create_developer_key', { name: 'Deploy' })
    expect(made).toMatchObject({ scopes: ['*'], expires_at: null, user_email: ada.email })
    expect(made.key).toMatch(/^svc_sk_[0-9A-Za-z]{49}$/)
    const listed = await run<{ items: object[] }>('list_developer_keys', {})
    expect(JSON.stringify(listed)).not.toContain(made.key.slice(7, -4))
    const rows = await instance.ctx.db.read.selectFrom('api_keys').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(made.key.slice(7, -4))
  })

  test.each([
    ['30d', 30],
    ['90d', 90],
    ['1y', 365],
  ])('expires_in %s ends it after %i days', async (expires_in, days) => {
    const { expires_at } = await run<Key>('create_developer_key', { name: 'x', expires_in })
    expect(Date.parse(expires_at!)).toBe(instance.ctx.clock.now() + days * dayMs)
  })

  test('expires_in or expires_at is accepted, but not both', async () => {
    const never = await run<Key>('create_developer_key', { name: 'x', expires_in: 'never' })
    expect(never.expires_at).toBeNull()
    const expires_at = new Date(instance.ctx.clock.now() + 1000).toISOString()
    expect((await run<Key>('create_developer_key', { name: 'x', expires_at })).expires_at).toBe(
      expires_at,
    )
    const both = run('create_developer_key', { name: 'x', expires_at, expires_in: '30d' })
    await expect(both).rejects.toMatchObject({ code: 'key_expiry_invalid' })
  })

  test('scopes are a subset in a fixed order, and * includes the others', async () => {
    const scopes = ['knowledge:read', 'apps:read', 'apps:read']
    const made = await run<Key>('create_developer_key', { name: 'x', scopes })
    expect(made.scopes).toEqual(['apps:read', 'knowledge:read'])
    const all = await run<Key>('create_developer_key', { name: 'x', scopes: ['apps:read', '*'] })
    expect(all.scopes).toEqual(['*'])
    for (const wrong of [[], ['admin']])
      await expect(run('create_developer_key', { name: 'x', scopes: wrong })).rejects.toMatchObject(
        { code: 'invalid_input' },
      )
    await expect(run('create_developer_key', { name: ' ' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })

  test('members see and delete their own keys, owners and admins those of all members', async () => {
    const guest = await instance.person()
    await instance.join(guest, ada.workspaceId, 'viewer')
    const guestHere = actorOf({ ...guest, workspaceId: ada.workspaceId })
    const mine = await run<Key>('create_developer_key', { name: 'owner’s' })
    const theirs = await run<Key>('create_developer_key', { name: 'guest’s' }, guestHere)
    expect(await ids(guestHere)).toEqual([theirs.id])
    expect(await ids()).toEqual(expect.arrayContaining([mine.id, theirs.id]))
    await expect(run('delete_developer_key', { id: mine.id }, guestHere)).rejects.toMatchObject({
      code: 'record_not_found',
    })
    await run('delete_developer_key', { id: theirs.id })
    expect(await ids(guestHere)).toEqual([])
  })

  test('a key of another workspace is not found', async () => {
    const stranger = actorOf(await instance.person())
    const { id } = await run<Key>('create_developer_key', { name: 'x' })
    await expect(run('delete_developer_key', { id }, stranger)).rejects.toMatchObject({
      code: 'record_not_found',
    })
    expect(await ids()).toContain(id)
  })

  test('an assistant can neither create nor see keys, nor manage connected apps', async () => {
    const assistant = actorOf(ada, { surface: 'mcp' })
    for (const name of [
      'create_developer_key',
      'list_developer_keys',
      'delete_developer_key',
      'list_connected_apps',
      'revoke_connected_app',
    ])
      await expect(run(name, { name: 'x' }, assistant)).rejects.toMatchObject({
        code: 'permission_denied',
      })
  })

  test('connected apps are listed with their scopes, and revoked by an audited operation', async () => {
    const eve = await instance.person()
    await grantFlow(instance, eve, { scope: 'apps:read' })
    const { items } = await run<{ items: { id: string }[] }>(
      'list_connected_apps',
      {},
      actorOf(eve),
    )
    expect(items).toMatchObject([
      {
        name: 'Command-line MCP client',
        client_id: 'svc_mcp_cli',
        returns_to: 'localhost:4567',
        scopes: ['apps:read'],
        workspace_id: eve.workspaceId,
        last_used_at: null,
        revoked_at: null,
      },
    ])
    const { id } = items[0]!
    await expect(run('revoke_connected_app', { id })).rejects.toMatchObject({
      code: 'record_not_found',
    })
    await run('revoke_connected_app', { id }, actorOf(eve))
    const audited = await instance.ctx.db.read
      .selectFrom('audit_events')
      .select(['action', 'target', 'outcome'])
      .where('user_id', '=', eve.userId)
      .where('action', '=', 'revoke_connected_app')
      .execute()
    expect(audited).toEqual([{ action: 'revoke_connected_app', target: id, outcome: 'done' }])
  })
})
