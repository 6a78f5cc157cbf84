import { beforeAll, describe, expect, test } from 'vitest'
import { exportAuditEvents, recordEvent } from '#features/audit/index.ts'
import { createUser, signIn, signOut } from '#features/identity/index.ts'
import { newId } from '#kernel/ids.ts'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { whole } from '#test/support/identity/whole-session.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'

interface Shown {
  readonly id: string
  readonly action: string
  readonly target: string | null
  readonly outcome: string
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
  readonly detail: Record<string, unknown> | null
}

describeInstance('the audit log', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
    ada = await instance.person()
  })

  async function run(name: string, input: unknown, person = ada) {
    const operation = findOperation(name)
    if (operation === undefined) throw new Error(`no operation ${name}`)
    // With a clock that never advances, the order would depend on the ids of one process.
    instance.advance(1000)
    return await runOperation(instance.ctx, actorOf(person), operation, input)
  }

  async function events(filter: Record<string, unknown> = {}, person = ada) {
    const { items } = await run('list_audit_events', { limit: 100, ...filter }, person)
    return items as Shown[] // The operation's own output schema has checked it.
  }

  async function text(workspaceId: string | null, format: 'csv' | 'jsonl') {
    let whole = ''
    for await (const piece of exportAuditEvents(instance.ctx, { workspaceId }, format))
      whole += piece
    return whole
  }

  describe('of a change', () => {
    test('shows a created record, the changed fields before and after, and a deleted record', async () => {
      const { id } = await run('create_app', { name: 'Helper', system_prompt: 'Be kind.' })
      await run('update_app', { app_id: id, system_prompt: 'Be brief.' })
      await run('delete_app', { app_id: id })
      const [deleted, updated, created] = await events({ target: id })
      expect(created).toMatchObject({ action: 'create_app', before: null })
      expect(created?.after).toMatchObject({ name: 'Helper', 'settings.system_prompt': 'Be kind.' })
      expect(updated).toMatchObject({
        before: { 'settings.system_prompt': 'Be kind.', version: 1 },
        after: { 'settings.system_prompt': 'Be brief.', version: 2 },
      })
      expect(Object.keys(updated?.after ?? {})).toHaveLength(2)
      expect(deleted?.before).toEqual({ deleted_at: null })
      expect(deleted?.after).toEqual({ deleted_at: expect.any(Number) })
    })

    test('that names the agent by its name id shows the same record', async () => {
      const app = await run('create_app', { name: 'By name' })
      await run('update_app', { app_id: app.app_name_id, description: 'Found' })
      const [updated] = await events({ target: app.id })
      expect(updated?.after).toMatchObject({ 'settings.description': 'Found' })
    })

    test('of a role shows the old and the new role', async () => {
      const bob = await instance.person()
      await instance.join(bob, ada.workspaceId, 'viewer')
      await run('change_member_role', { user_id: bob.userId, role: 'editor' })
      await run('remove_member', { user_id: bob.userId })
      const [removed, changed] = await events({ target: bob.userId })
      expect(changed).toMatchObject({ before: { role: 'viewer' }, after: { role: 'editor' } })
      expect(removed).toMatchObject({ before: { role: 'editor' }, after: null })
    })

    test('that restores a workspace shows that it was deleted', async () => {
      const eve = await instance.person()
      const { id } = await run('create_workspace', { name: 'Phoenix' }, eve)
      await run('delete_workspace', { workspace_id: id, confirm_name: 'Phoenix' }, eve)
      const deletedAt = instance.ctx.clock.now()
      await run('restore_workspace', { id }, eve)
      const [restored] = await events({ workspace_id: id }, eve)
      expect(restored).toMatchObject({ action: 'restore_workspace', target: id })
      expect(restored?.before).toEqual({ deleted_at: deletedAt, deleted_by: eve.userId })
      expect(restored?.after).toEqual({ deleted_at: null, deleted_by: null })
    })

    test('of another workspace’s plan shows the old and the new plan', async () => {
      const eve = await instance.person()
      await run('assign_plan', { to_workspace_id: eve.workspaceId, plan: 'studio' })
      const [assigned] = await events({ action: 'assign_plan' })
      expect(assigned).toMatchObject({ before: { plan: 'builder' }, after: { plan: 'studio' } })
      expect(assigned?.detail).toEqual({ to_workspace_id: eve.workspaceId, plan: 'studio' })
    })

    test('never contains a secret of keys, links, variables, providers or headers', async () => {
      const { id } = await run('create_app', { name: 'Secretive' })
      const secret = 'hunter2-hunter2-hunter2'
      const issued = [
        await run('create_chat_key', { app_id: id, name: 'chat' }),
        await run('create_acp_key', { app_id: id, name: 'acp' }),
        await run('create_developer_key', { name: 'developer' }),
      ].map(({ key }) => String(key))
      const { link } = await run('invite_member', { role: 'viewer' })
      await run('set_provider', { provider: 'openai', api_key: secret })
      await run('set_provider', { provider: 'openai', api_key: `${secret}2` })
      const hosts = ['example.com']
      const variable = { app_id: id, name: 'TOKEN', type: 'secret', hosts }
      await run('set_app_variable', { ...variable, value: secret })
      await run('set_app_variable', { ...variable, value: `${secret}2` })
      const [endpoint] = [
        await run('create_webhook_endpoint', { app_id: id, url: 'https://example.com/hook' }),
      ]
      await run('create_custom_action', {
        app_id: id,
        name: 'call',
        description: 'Calls',
        method: 'POST',
        url: `https://example.com/?api_key=${secret}`,
        headers: {
          Authorization: `Bearer ${secret}`,
          'X-Auth': secret,
          'Ocp-Apim-Subscription-Key': secret,
        },
        body_type: 'json',
        body_template: `{"user":"us","password":"${secret}","authorization": "Bearer ${secret}"}`,
      })
      const log = (await text(ada.workspaceId, 'jsonl')) + (await text(ada.workspaceId, 'csv'))
      const secrets = [secret, ...issued, String(link).split('/').at(-1), endpoint?.secret]
      for (const one of secrets) expect(log).not.toContain(String(one))
      const [changed] = await events({ action: 'set_provider' })
      expect(changed).toMatchObject({
        before: { api_key_sealed: '[a secret]' },
        after: { api_key_sealed: '[another secret]' },
      })
    })

    test('shortens a long text, but still distinguishes two of them', async () => {
      const { id } = await run('create_app', { name: 'Long', system_prompt: 'a'.repeat(20_000) })
      await run('update_app', { app_id: id, system_prompt: `${'a'.repeat(19_999)}b` })
      const [updated] = await events({ target: id })
      const [before, after] = [updated?.before, updated?.after].map((state) =>
        String(state?.['settings.system_prompt']),
      )
      expect(before?.length).toBeLessThan(600)
      expect(before).not.toBe(after)
    })

    test('that is refused is recorded with its reason, and changes nothing', async () => {
      const bob = await instance.person()
      await instance.join(bob, ada.workspaceId, 'viewer')
      const attempt = run('create_app', { name: 'No', workspace_id: ada.workspaceId }, bob)
      await expect(attempt).rejects.toMatchObject({ code: 'permission_denied' })
      const [refused] = await events({ actor: bob.email, outcome: 'refused' })
      expect(refused).toMatchObject({ action: 'create_app', detail: { role: 'viewer' } })
    })
  })

  describe('of signing in', () => {
    const visitor = { address: '203.0.113.4', userAgent: null, sessionToken: null }

    test('records each sign-in, wrong password and sign-out, but no typed text', async () => {
      const email = 'careful@example.com'
      const { user } = await createUser(instance.ctx, { email, password: 'the right one' })
      const wrong = signIn(instance.ctx, { email, password: 'typed-wrong' }, visitor)
      await expect(wrong).rejects.toMatchObject({ code: 'credentials_wrong' })
      const nobody = { email: 'nobody-typed@example.com', password: 'typed-wrong' }
      await expect(signIn(instance.ctx, nobody, visitor)).rejects.toThrow()
      const { token } = whole(
        await signIn(instance.ctx, { email, password: 'the right one' }, visitor),
      )
      await signOut(instance.ctx, token)
      const rows = await instance.ctx.db.read
        .selectFrom('audit_events')
        .select(['action', 'outcome', 'address'])
        .where('user_id', '=', user.id)
        .orderBy('id')
        .execute()
      expect(rows).toEqual([
        { action: 'sign_in', outcome: 'refused', address: '203.0.113.4' },
        { action: 'sign_in', outcome: 'done', address: '203.0.113.4' },
        { action: 'sign_out', outcome: 'done', address: '203.0.113.4' },
      ])
      const log = await text(null, 'jsonl')
      expect(log).toContain('"unknown_account":true')
      expect(log).not.toContain('typed')
    })
  })

  test('records what the verb refuses: granting a role or a plan beyond the user’s rights', async () => {
    const [bob, eve] = [await instance.person(), await instance.person()]
    await instance.join(bob, eve.workspaceId, 'admin')
    const place = { workspace_id: eve.workspaceId }
    const raise = run('change_member_role', { ...place, user_id: bob.userId, role: 'owner' }, bob)
    await expect(raise).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(run('set_plan', { plan: 'enterprise' }, eve)).rejects.toThrow()
    const refused = await events({ outcome: 'refused' }, eve)
    expect(refused.map(({ action, detail }) => [action, detail])).toEqual([
      ['set_plan', { reason: 'operator_required' }],
      ['change_member_role', { reason: expect.any(String) }],
    ])
  })

  describe('is read', () => {
    test('by owners and admins, of their own workspace', async () => {
      const [bob, eve] = [await instance.person(), await instance.person()]
      await instance.join(bob, ada.workspaceId, 'editor')
      const workspace_id = ada.workspaceId
      await expect(events({ workspace_id }, bob)).rejects.toMatchObject({
        code: 'permission_denied',
      })
      await expect(events({ workspace_id }, eve)).rejects.toMatchObject({
        code: 'record_not_found',
      })
      const own = await events({}, eve)
      expect(own.map(({ action, outcome }) => [action, outcome])).toEqual([
        ['list_audit_events', 'refused'],
      ])
    })

    test('by action, actor, target, outcome and time, a page at a time', async () => {
      const eve = await instance.person()
      const made: unknown[] = []
      for (const name of ['One', 'Two', 'Three'])
        made.push((await run('create_app', { name }, eve)).id)
      const first = await run('list_audit_events', { action: 'create_app', limit: 2 }, eve)
      const cursor = first.next_cursor
      const rest = await run('list_audit_events', { action: 'create_app', limit: 2, cursor }, eve)
      const targets = [first, rest].flatMap(({ items }) => (items as Shown[]).map((e) => e.target))
      expect(targets).toEqual(made.toReversed())
      expect(await events({ action: 'delete_app' }, eve)).toEqual([])
      expect(await events({ actor: eve.userId }, eve)).toHaveLength(3)
      expect(await events({ actor: ada.email }, eve)).toEqual([])
      expect(await events({ outcome: 'refused' }, eve)).toEqual([])
      const now = instance.ctx.clock.now()
      const later = new Date(now + 1).toISOString()
      expect(await events({ from: later }, eve)).toEqual([])
      const before = new Date(now - 60_000).toISOString()
      expect(await events({ from: before, to: later }, eve)).toHaveLength(3)
      expect(await events({ to: later }, eve)).toHaveLength(3)
    })

    test('as an export of all events, newest first, page by page', async () => {
      const eve = await instance.person()
      const count = 1234
      await instance.ctx.db.write(async (tx) => {
        for (let n = 0; n < count; n += 1)
          await recordEvent(tx, instance.ctx.clock.now(), {
            actor: actorOf(eve),
            workspaceId: eve.workspaceId,
            action: `made_${n}`,
            target: null,
            outcome: 'done',
          })
      })
      const lines = (await text(eve.workspaceId, 'jsonl')).trimEnd().split('\n')
      const actions = lines.map((line) => (JSON.parse(line) as Shown).action)
      expect(actions).toEqual(Array.from({ length: count }, (_, n) => `made_${count - 1 - n}`))
      const csv = (await text(eve.workspaceId, 'csv')).trimEnd().split('\r\n')
      expect(csv).toHaveLength(count + 1)
      expect(csv[0]).toMatch(/^id,at,workspace_id,actor_id/)
    })

    test('as CSV in which no text runs as a formula', async () => {
      const eve = await instance.person()
      const via = { kind: 'grant', id: newId(), client: '=HYPERLINK("http://a.b","x")' } as const
      const event = { actor: actorOf(eve, { via }), workspaceId: eve.workspaceId, target: '@x,"y"' }
      await instance.ctx.db.write((tx) =>
        recordEvent(tx, instance.ctx.clock.now(), { ...event, action: '-1+1', outcome: 'done' }),
      )
      const csv = await text(eve.workspaceId, 'csv')
      expect(csv).toContain(`"'=HYPERLINK(""http://a.b"",""x"")"`)
      expect(csv).toContain(`,'-1+1,"'@x,""y""",done`)
    })
  })

  test('cannot be changed or deleted, even with write access to the database', async () => {
    await run('create_app', { name: 'Kept' })
    const { write } = instance.ctx.db
    await expect(
      write((tx) => tx.updateTable('audit_events').set({ outcome: 'refused' }).execute()),
    ).rejects.toThrow()
    await expect(write((tx) => tx.deleteFrom('audit_events').execute())).rejects.toThrow()
    expect((await events()).length).toBeGreaterThan(0)
  })
})
