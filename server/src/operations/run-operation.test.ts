import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent, getAgent, listAgents } from '#features/agents/index.ts'
import { createDeveloperKey } from '#features/api-keys/index.ts'
import { roles } from '#kernel/actor.ts'
import {
  actorOf,
  describeInstance,
  type TestInstance,
  type Person,
} from '#test/support/test-instance.ts'
import { findOperation } from './catalogue.ts'
import { faultMessage } from './fault-wording.ts'
import { defineOperation, hints, type Operation } from './operation.ts'
import { runOperation } from './run-operation.ts'

describeInstance('running an operation', (open) => {
  let instance: TestInstance
  let ada: Person

  beforeAll(async () => {
    instance = await open()
  })

  function operation(name: string): Operation {
    const found = findOperation(name)
    if (found === undefined) throw new Error(`no operation ${name}`)
    return found
  }

  function run(name: string, input: unknown, actor = actorOf(ada)) {
    return runOperation(instance.ctx, actor, operation(name), input)
  }

  function auditOf(workspaceId: string) {
    return instance.ctx.db.read
      .selectFrom('audit_events')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .orderBy('id')
      .execute()
  }

  describe('its record in the audit log', () => {
    test('a change is recorded with user, credential, operation, record and time', async () => {
      ada = await instance.person()
      const holder = { ...ada, role: 'owner' } as const
      const { id } = await createDeveloperKey(instance.ctx, holder, { name: 'k' })
      const via = { kind: 'developer_key', id, client: 'curl' } as const
      const actor = actorOf(ada, { surface: 'mcp', via, requestId: 'request-1' })
      const made = await run('create_app', { name: 'Audited' }, actor)
      expect(await auditOf(ada.workspaceId)).toEqual([
        expect.objectContaining({
          user_id: ada.userId,
          face: 'mcp',
          via_kind: 'developer_key',
          via_id: id,
          client: 'curl',
          action: 'create_app',
          target: made.id,
          outcome: 'done',
          request_id: 'request-1',
          created_at: instance.ctx.clock.now(),
        }),
      ])
    })

    test('a change of an agent named by its name id is recorded with its UUID', async () => {
      ada = await instance.person()
      const { id, app_name_id } = await run('create_app', { name: 'Named' })
      await run('update_app', { app_id: app_name_id, name: 'Other' })
      const targets = (await auditOf(ada.workspaceId)).map(({ target }) => target)
      expect(targets).toEqual([id, id])
    })

    test('reading is not recorded', async () => {
      ada = await instance.person()
      await run('list_apps', {})
      expect(await auditOf(ada.workspaceId)).toEqual([])
    })

    test('a failed change leaves no event', async () => {
      ada = await instance.person({ plan: 'free' })
      for (const name of ['A', 'B', 'C']) await run('create_app', { name })
      const limited = { code: 'plan_limit_reached' }
      await expect(run('create_app', { name: 'D' })).rejects.toMatchObject(limited)
      const actions = (await auditOf(ada.workspaceId)).map(({ action }) => action)
      expect(actions).toEqual(['create_app', 'create_app', 'create_app'])
    })

    test('a change whose event cannot be written is rolled back', async () => {
      ada = await instance.person()
      // Breaks only the event: no database accepts an object as text.
      const unwritable = actorOf(ada, { requestId: {} as unknown as string })
      await expect(run('create_app', { name: 'Ghost' }, unwritable)).rejects.toThrow()
      const { items } = await listAgents(instance.ctx, ada.workspaceId, { limit: 10 })
      expect(items).toEqual([])
    })

    test('an event contains no key', async () => {
      ada = await instance.person()
      const agent = await createAgent(instance.ctx, ada, { name: 'Keyed' })
      const { key } = await run('create_chat_key', { app_id: agent.id, name: 'Site' })
      await run('set_provider', { provider: 'openai', api_key: 'sk-secret' })
      const log = JSON.stringify(await auditOf(ada.workspaceId))
      expect(log).toContain('set_provider')
      expect(log).not.toContain('sk-secret')
      expect(log).not.toContain(String(key))
    })
  })

  describe('what is refused', () => {
    test('an operation without its scope, with the scope’s name and an event', async () => {
      ada = await instance.person()
      const reader = actorOf(ada, { scopes: ['apps:read'] })
      const attempt = run('create_app', { name: 'No' }, reader)
      const missing = { code: 'scope_missing', facts: { scope: 'apps:write' } }
      await expect(attempt).rejects.toMatchObject(missing)
      await expect(run('list_apps', {}, reader)).resolves.toMatchObject({ items: [] })
      expect(await auditOf(ada.workspaceId)).toEqual([
        expect.objectContaining({
          action: 'create_app',
          outcome: 'refused',
          detail_json: JSON.stringify({ missing_scope: 'apps:write' }),
        }),
      ])
    })

    test('an operation on a surface that does not offer it', async () => {
      ada = await instance.person()
      const assistant = actorOf(ada, { surface: 'mcp' })
      await expect(run('set_plan', { plan: 'studio' }, assistant)).rejects.toMatchObject({
        code: 'permission_denied',
      })
    })

    test('an operation without its role, with the required role in the message', async () => {
      ada = await instance.person()
      const viewer = await instance.person()
      await instance.join(viewer, ada.workspaceId, 'viewer')
      const input = { workspace_id: ada.workspaceId, name: 'No' }
      const fault = await run('create_app', input, actorOf(viewer)).catch((e: unknown) => e)
      expect(fault).toMatchObject({
        code: 'permission_denied',
        facts: { role: 'viewer', needs: 'editor' },
      })
      expect(await auditOf(ada.workspaceId)).toEqual([
        expect.objectContaining({ user_id: viewer.userId, outcome: 'refused' }),
      ])
      const listed = { workspace_id: ada.workspaceId }
      await expect(run('list_apps', listed, actorOf(viewer))).resolves.toMatchObject({ items: [] })
    })

    test.each([
      ['create_app', { name: 'x' }],
      ['update_workspace', { name: 'x' }],
      ['set_plan', { plan: 'studio' }],
      ['set_provider', { provider: 'openai', api_key: 'x' }],
    ])('%s to every role beneath its own, and to none above', async (name, input) => {
      ada = await instance.person()
      for (const role of roles.filter((role) => role !== 'owner')) {
        const member = await instance.person()
        await instance.join(member, ada.workspaceId, role)
        const attempt = run(name, { ...input, workspace_id: ada.workspaceId }, actorOf(member))
        const may = roles.indexOf(role) <= roles.indexOf(operation(name).role)
        if (may) await expect(attempt).resolves.toBeDefined()
        else await expect(attempt).rejects.toMatchObject({ code: 'permission_denied' })
      }
    })

    test('an operation on another surface, with an event', async () => {
      ada = await instance.person()
      const attempt = run('set_plan', { plan: 'studio' }, actorOf(ada, { surface: 'mcp' }))
      await expect(attempt).rejects.toMatchObject({ code: 'permission_denied' })
      const rows = await instance.ctx.db.read
        .selectFrom('audit_events')
        .select(['action', 'outcome', 'detail_json'])
        .where('user_id', '=', ada.userId)
        .execute()
      expect(rows).toEqual([
        { action: 'set_plan', outcome: 'refused', detail_json: '{"face":"mcp"}' },
      ])
    })

    test('an unknown field, so that a typo is not a silent success', async () => {
      ada = await instance.person()
      const attempt = run('create_app', { name: 'x', systemPrompt: 'y' })
      await expect(attempt).rejects.toMatchObject({
        code: 'invalid_input',
        facts: { issues: [expect.stringContaining('systemPrompt')] },
      })
    })

    test.each(['nul \0 byte', 'half a pair \ud83d'])(
      'text that a database cannot store: %j',
      async (text) => {
        ada = await instance.person()
        const { id } = await run('create_app', { name: 'x' })
        const invalid = { code: 'invalid_input' }
        await expect(run('create_app', { name: text })).rejects.toMatchObject(invalid)
        await expect(run('get_app', { app_id: text })).rejects.toMatchObject(invalid)
        const nested = { app_id: id, suggestions: ['fine', text] }
        await expect(run('update_app', nested)).rejects.toMatchObject(invalid)
      },
    )

    test.each([null, [], 'text', 5])('an input that is no object: %j', async (input) => {
      ada = await instance.person()
      if (input === null) await expect(run('list_apps', input)).resolves.toBeDefined()
      else await expect(run('list_apps', input)).rejects.toMatchObject({ code: 'invalid_input' })
    })

    test.each([0, 101, 1.5, '5'])('a limit of %j', async (limit) => {
      ada = await instance.person()
      await expect(run('list_apps', { limit })).rejects.toMatchObject({ code: 'invalid_input' })
    })

    test('a cursor that no list returned', async () => {
      ada = await instance.person()
      for (const cursor of ['x', 'eyJhIjoxfQ']) {
        await expect(run('list_apps', { cursor })).rejects.toMatchObject({ code: 'invalid_input' })
      }
    })
  })

  describe('where it acts', () => {
    test('is the workspace of the record, also if it is another of the user’s', async () => {
      ada = await instance.person()
      const second = await run('create_workspace', { name: 'Second' })
      const app = await run('create_app', { name: 'There', workspace_id: second.id })
      expect(app.workspace_id).toBe(second.id)
      expect(await run('get_app', { app_id: app.app_name_id })).toMatchObject({ id: app.id })
      const key = await run('create_chat_key', { app_id: app.id, name: 'k' })
      await run('revoke_chat_key', { id: key.id })
      const actions = (await auditOf(String(second.id))).map(({ action }) => action)
      expect(actions).toEqual([
        'create_workspace',
        'create_app',
        'create_chat_key',
        'revoke_chat_key',
      ])
    })

    test('is nowhere, if the named workspace does not contain the record', async () => {
      ada = await instance.person()
      const second = await run('create_workspace', { name: 'Second' })
      const app = await run('create_app', { name: 'Here' })
      const misplaced = { app_id: app.id, workspace_id: second.id, name: 'x' }
      await expect(run('update_app', misplaced)).rejects.toMatchObject({ code: 'record_not_found' })
      expect(await getAgent(instance.ctx, ada.workspaceId, String(app.id))).toMatchObject({
        version: 1,
      })
    })

    test('is no workspace for a personal operation', async () => {
      ada = await instance.person()
      const homeless = actorOf(ada, { workspaceId: '01900000-0000-7000-8000-000000000000' })
      const made = await run('create_workspace', { name: 'New home' }, homeless)
      const { items } = await run('list_workspaces', {}, homeless)
      expect(items).toContainEqual(expect.objectContaining({ id: made.id }))
    })
  })

  test('a result that violates the output schema is an internal error', async () => {
    ada = await instance.person()
    const leaky = defineOperation({
      name: 'leak_it',
      title: 'Leak',
      description: 'Leaks.',
      toolset: 'core',
      scope: null,
      hints: hints.read,
      input: z.object({}),
      output: z.strictObject({ id: z.string() }),
      run: () => Promise.resolve({ id: 'x', secret: 'y' }),
    })
    await expect(runOperation(instance.ctx, actorOf(ada), leaky, {})).rejects.toThrow(z.ZodError)
  })

  test('errors about an expired key, a plan limit and a stale version name the next step', async () => {
    ada = await instance.person({ plan: 'free' })
    const app = await run('create_app', { name: 'x' })
    await run('update_app', { app_id: app.id, name: 'y' })
    const stale = { app_id: app.id, name: 'z', expected_version: 1 }
    expect(await messageOf(run('update_app', stale))).toBe(
      'The agent is at version 2, not 1: someone changed it. Read it with get_app, then repeat the change with the new expected_version.',
    )
    for (const name of ['A', 'B']) await run('create_app', { name })
    expect(await messageOf(run('create_app', { name: 'C' }))).toBe(
      'The free plan allows 3 agents. Remove one, or move to a larger plan.',
    )
    const past = { app_id: app.id, name: 'k', expires_at: '2020-01-01T00:00:00Z' }
    expect(await messageOf(run('create_chat_key', past))).toContain('must be a future time')
  })

  async function messageOf(attempt: Promise<unknown>): Promise<string> {
    const fault = await attempt.catch((error: unknown) => error)
    return faultMessage(fault as Parameters<typeof faultMessage>[0]) // A Fault, or the wording fails.
  }
})
