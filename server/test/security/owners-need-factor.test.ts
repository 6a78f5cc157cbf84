import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { createAgentKey, createDeveloperKey } from '#features/api-keys/index.ts'
import { cliActor } from '#features/identity/index.ts'
import {
  listSecondFactors,
  removeSecondFactor,
  resetSecondFactors,
} from '#features/second-factors/index.ts'
import { deleteWorkspace, setFactorOfOwners } from '#features/workspaces/index.ts'
import type { Role } from '#kernel/actor.ts'
import { Fault } from '#kernel/fault.ts'
import { newId } from '#kernel/ids.ts'
import { operations } from '#operations/catalogue.ts'
import { enterAgent } from '#operations/agents/enter-agent.ts'
import { faultMessage } from '#operations/fault-wording.ts'
import type { Operation } from '#operations/operation.ts'
import { runOperation } from '#operations/run-operation.ts'
import { addApp, personWithApp } from '#test/support/identity/authenticator-app.ts'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import { grantFlow } from '#test/support/identity/oauth-flow.ts'
import { inputFor, recordKinds } from '#test/support/operation-inputs.ts'
import { baseUrl, beginConsent, describeSignIn } from '#test/support/identity/sign-in-service.ts'
import type { Account, SignInService } from '#test/support/identity/sign-in-service.ts'
import { tried } from '#test/support/tried.ts'

const unknownRecords = Object.fromEntries(recordKinds.map((field) => [field, newId()]))
const tenMinutes = 10 * 60_000
const sentence = 'requires a second factor of its owners, and your account has none'

describeSignIn('a workspace that requires a second factor of its owners', (open) => {
  let service: SignInService
  let ada: Account
  let agent: Agent
  let people = 0

  beforeAll(async () => {
    service = await open({ DEFAULT_PLAN: 'enterprise' })
    ada = (await personWithApp(service)).person
    agent = await createAgent(service.ctx, ada, { name: 'Help', model: 'local/extractive' })
    await setFactorOfOwners(service.ctx, ada, true)
  })

  const cookieOf = ({ cookies }: FormBrowser) =>
    [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const member = async (role: Role) => {
    people += 1
    const account = await service.account(`member-${people}`)
    const here = { ...account, name: account.email, workspaceId: ada.workspaceId }
    await service.join(here, ada.workspaceId, role)
    return { account, here, browser: await service.signedIn(account) }
  }
  const call = async (browser: FormBrowser, name: string, input: object = {}) => {
    const path = `/api/dashboard/operations/${name}`
    const headers = { cookie: cookieOf(browser), origin: new URL(baseUrl).origin }
    const inside = { workspace_id: ada.workspaceId, ...input }
    const response = await service.post(path, inside, headers)
    // Tests compare its fields.
    const answer = (await response.json()) as { error?: { code: string; message: string } }
    return { status: response.status, answer, code: answer.error?.code }
  }
  const keyOf = async (person: Pick<Account, 'userId' | 'workspaceId'>) => {
    const holder = { ...person, role: 'owner' as const }
    return (await createDeveloperKey(service.ctx, holder, { name: 'key' })).key
  }
  const me = async (browser: FormBrowser) => {
    const headers = { cookie: cookieOf(browser) }
    const response = await service.app.request(`${baseUrl}/api/dashboard/me`, { headers })
    const { workspaces } = (await response.json()) as { workspaces: { id: string }[] }
    return workspaces
  }
  const tool = async (key: string, name: string, input: object) => {
    const params = { name, arguments: { workspace_id: ada.workspaceId, ...input } }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const headers = { authorization: `Bearer ${key}` }
    return await (await service.post('/mcp', body, headers)).text()
  }
  const attempts = (where: string) =>
    service.ctx.db.read
      .selectFrom('audit_events')
      .select(['outcome', 'after_json', 'user_id'])
      .where('workspace_id', '=', where)
      .where('action', '=', 'set_second_factor_requirement')
      .orderBy('id')
      .execute()

  describe('the setting', () => {
    test('is set by an owner with a second factor, who confirms it, and is audited', async () => {
      const { person, browser } = await personWithApp(service)
      const set = (required: boolean) =>
        call(browser, 'set_second_factor_requirement', {
          required,
          workspace_id: person.workspaceId,
        })
      expect((await set(true)).answer).toMatchObject({ owners_need_second_factor: true })
      expect(await me(browser)).toMatchObject([
        { owners_need_second_factor: true, waits_for_second_factor: false },
      ])
      expect((await set(false)).answer).toMatchObject({ owners_need_second_factor: false })
      const [on, off] = await attempts(person.workspaceId)
      expect(on).toMatchObject({ outcome: 'done', user_id: person.userId })
      expect(JSON.parse(on?.after_json ?? '')).toMatchObject({ owners_need_second_factor: 1 })
      expect(JSON.parse(off?.after_json ?? '')).toMatchObject({ owners_need_second_factor: 0 })
      service.advance(tenMinutes)
      expect((await set(true)).code).toBe('confirmation_required')
    })

    test('is refused to an owner without a second factor, to others and to assistants', async () => {
      const eve = await service.account('eve')
      const browser = await service.signedIn(eve)
      const own = { required: true, workspace_id: eve.workspaceId }
      const refused = await call(browser, 'set_second_factor_requirement', own)
      expect(refused).toMatchObject({ status: 409, code: 'own_factor_missing' })
      expect(refused.answer.error?.message).toContain('/account/second-factor')
      const admin = await member('admin')
      const byAdmin = await call(admin.browser, 'set_second_factor_requirement', {
        required: false,
      })
      expect(byAdmin.code).toBe('permission_denied')
      const key = await keyOf(ada)
      const answer = await tool(key, 'set_second_factor_requirement', { required: false })
      expect(answer).toMatch(/-32602|unknown/i)
    })
  })

  describe('an owner without one', () => {
    const inWords = (error: unknown) => {
      if (error instanceof Fault) return faultMessage(error)
      throw error
    }
    const inWorkspace = operations.filter(
      ({ personal, operatorOnly }) => !personal && !operatorOnly,
    )

    test('can run no operation in it, with no credential', async (context) => {
      const { account, here, browser } = await member('owner')
      const { ctx } = service
      const key = await keyOf(here)
      await setFactorOfOwners(ctx, ada, false)
      const { accessToken } = await grantFlow(service, here)
      await setFactorOfOwners(ctx, ada, true)
      const run = {
        session: async ({ name }: Operation, input: object) =>
          (await call(browser, name, input)).answer.error?.message ?? 'done',
        key: ({ name }: Operation, input: object) => tool(key, name, input),
        token: ({ name }: Operation, input: object) => tool(accessToken, name, input),
        cli: async (operation: Operation, input: object) =>
          await runOperation(ctx, { ...here, scopes: ['*'], surface: 'cli' }, operation, {
            ...input,
            workspace_id: ada.workspaceId,
          }).then(() => 'done', inWords),
      }
      const surfaces = { session: 'dashboard', key: 'mcp', token: 'mcp', cli: 'cli' } as const
      let tries = 0
      for (const credential of ['session', 'key', 'token', 'cli'] as const)
        for (const operation of inWorkspace) {
          if (!operation.surfaces.includes(surfaces[credential])) continue
          tries += 1
          const answer = await run[credential](operation, inputFor(operation, unknownRecords))
          expect([credential, operation.name, answer]).toEqual([
            credential,
            operation.name,
            expect.stringContaining(sentence),
          ])
        }
      tried(context, tries)
      const own = { workspace_id: account.workspaceId }
      expect((await call(browser, 'list_apps', own)).status).toBe(200)
    })

    test('is refused with a sentence, recorded and led to the page, and acts after adding one', async () => {
      const { here, browser } = await member('owner')
      const key = await keyOf(here)
      const refused = await call(browser, 'list_apps')
      expect(refused).toMatchObject({ status: 403, code: 'second_factor_required' })
      expect(refused.answer.error?.message).toContain('/account/second-factor')
      expect(await tool(key, 'list_apps', {})).toContain(sentence)
      const recorded = await service.ctx.db.read
        .selectFrom('audit_events')
        .select(['workspace_id', 'outcome', 'detail_json'])
        .where('user_id', '=', here.userId)
        .where('action', '=', 'list_apps')
        .execute()
      const event = { workspace_id: ada.workspaceId, outcome: 'refused' }
      expect(recorded).toMatchObject([event, event])
      expect(recorded[0]?.detail_json).toContain('second_factor_required')
      const waits = (isWaiting: boolean) =>
        expect.objectContaining({ id: ada.workspaceId, waits_for_second_factor: isWaiting })
      expect(await me(browser)).toContainEqual(waits(true))
      await browser.open('/account/second-factor')
      expect(browser.html).toContain('requires a second factor of its owners')

      await addApp(service, browser)
      expect(await me(browser)).toContainEqual(waits(false))
      expect((await call(browser, 'list_apps')).status).toBe(200)
      expect(await tool(key, 'list_apps', {})).toContain(agent.id)
    })

    test('cannot enter an agent by the commands that read and write files', async () => {
      const { account, here } = await member('owner')
      const actor = await cliActor(service.ctx, account.email)
      const enter = enterAgent(service.ctx, { ...actor, ...here }, agent.id, 'viewer')
      await expect(enter).rejects.toMatchObject({ code: 'second_factor_required' })
    })

    test('authorizes no application: the consent page leads to the second factor and back', async () => {
      const { here, browser } = await member('owner')
      await beginConsent(browser)
      const authorize = { decision: 'authorize', workspace_id: ada.workspaceId }
      await browser.submit('/mcp/oauth/consent', authorize)
      expect(browser.url.pathname).toBe('/account/second-factor')
      const codes = await service.ctx.db.read
        .selectFrom('authorization_requests')
        .select('code_hash')
        .where('user_id', '=', here.userId)
        .execute()
      expect(codes).toEqual([])
      const consent = /return_to=([^"&]+)/.exec(browser.html)?.[1] ?? ''
      await addApp(service, browser)
      await browser.open(decodeURIComponent(consent))
      const address = await browser.submit('/mcp/oauth/consent', authorize)
      expect(address).toContain('code=')
    })

    test('cannot restore it', async () => {
      const { person } = await personWithApp(service)
      const bob = await service.account('bob')
      await service.join({ ...bob, name: 'Bob' }, person.workspaceId, 'owner')
      const workspace = await setFactorOfOwners(service.ctx, person, true)
      await deleteWorkspace(service.ctx, person, workspace.name)
      const browser = await service.signedIn(bob)
      const restore = await call(browser, 'restore_workspace', {
        id: person.workspaceId,
        workspace_id: undefined,
      })
      expect(restore.code).toBe('second_factor_required')
      const deleted = await call(browser, 'list_deleted_workspaces', { workspace_id: undefined })
      expect(deleted.answer).toMatchObject({ items: [{ id: person.workspaceId }] })
    })
  })

  test.each(['admin', 'editor', 'viewer'] as const)('an %s needs none', async (role) => {
    const { browser } = await member(role)
    expect((await call(browser, 'list_apps')).status).toBe(200)
  })

  test('chat keys and checkout keys of an owner without one keep working', async () => {
    const { here } = await member('owner')
    const named = { appId: agent.id, name: 'key' }
    const chat = await createAgentKey(service.ctx, here, { kind: 'chat', ...named })
    const acp = await createAgentKey(service.ctx, here, { kind: 'acp', ...named })
    const messages = [{ role: 'user', content: 'Hello' }]
    const body = { model: agent.appNameId, messages }
    const asked = await service.post('/api/v1/chat/completions', body, {
      authorization: `Bearer ${chat.key}`,
    })
    expect(asked.status).toBe(200)
    const checkout = await service.post(
      `/acp/${agent.id}/checkout_sessions`,
      { items: [] },
      { authorization: `Bearer ${acp.key}` },
    )
    expect([401, 403]).not.toContain(checkout.status)
  })

  test('a new owner must have one before a role or a transfer makes them an owner', async () => {
    const { person, browser: boss } = await personWithApp(service)
    await setFactorOfOwners(service.ctx, person, true)
    const carl = await service.account('carl')
    await service.join({ ...carl, name: 'Carl' }, person.workspaceId, 'editor')
    const at = { workspace_id: person.workspaceId, user_id: carl.userId }
    const promote = () => call(boss, 'change_member_role', { ...at, role: 'owner' })
    const transfer = () => call(boss, 'transfer_workspace', at)
    for (const attempt of [promote, transfer]) {
      const refused = await attempt()
      expect(refused).toMatchObject({ status: 409, code: 'member_without_factor' })
      expect(refused.answer.error?.message).toContain('carl has none')
    }
    await addApp(service, await service.signedIn(carl))
    expect((await promote()).status).toBe(200)
    expect((await transfer()).status).toBe(200)
  })

  test('an owner cannot remove their last one, and waits when an operator removed it', async () => {
    const { person, browser } = await personWithApp(service)
    await setFactorOfOwners(service.ctx, person, true)
    const holder = { userId: person.userId, address: null }
    const { factors } = await listSecondFactors(service.ctx, person.userId)
    const removal = removeSecondFactor(service.ctx, holder, factors[0]?.id ?? '')
    await expect(removal).rejects.toMatchObject({ code: 'last_factor_required' })
    const list = () => call(browser, 'list_apps', { workspace_id: person.workspaceId })
    expect((await list()).status).toBe(200)
    await service.ctx.db.write((tx) => resetSecondFactors(tx, person.userId))
    expect((await list()).code).toBe('second_factor_required')
  })
})
