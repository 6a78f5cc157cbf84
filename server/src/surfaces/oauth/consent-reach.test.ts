import { beforeAll, expect, test } from 'vitest'
import { createAgent, deleteAgent, type Agent } from '#features/agents/index.ts'
import { authenticateBearer, listConnectedApps } from '#features/grants/index.ts'
import { createWorkspace, type Workspace } from '#features/workspaces/index.ts'
import { newId } from '#kernel/ids.ts'
import {
  beginConsent as begin,
  describeSignIn,
  obtainCode,
  redemptionBody,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'
import { maxAgents } from './reach-choice.ts'

const consent = '/mcp/oauth/consent'

describeSignIn('what a grant is bound to on the consent page', (open) => {
  let service: SignInService
  let second: Workspace
  let agent: Agent
  let other: Agent

  beforeAll(async () => {
    service = await open({ DEFAULT_PLAN: 'builder' })
    const { ctx, ada } = service
    second = await createWorkspace(ctx, ada.userId, { name: 'Second' })
    agent = await createAgent(ctx, ada, { name: 'Help <desk>' })
    other = await createAgent(ctx, { ...ada, workspaceId: second.id }, { name: 'Sales' })
  })

  /** The reach of the token that a person's answer leads to. */
  async function granted(answer: Readonly<Record<string, string | readonly string[]>>) {
    const flow = await obtainCode(await service.signedIn(), { scope: '*' }, answer)
    const response = await service.post('/mcp/oauth/token', redemptionBody(flow))
    const body = (await response.json()) as { scope: string; access_token: string } // RFC 6749 §5.1.
    const { actor } = await authenticateBearer(service.ctx, body.access_token)
    return { scope: body.scope, reach: actor.reach, workspaceId: actor.workspaceId }
  }

  test('the page lists the person’s workspaces and agents, none of them checked', async () => {
    const browser = await begin(await service.signedIn())
    expect(browser.html).toContain('Help &lt;desk&gt;')
    expect(browser.html).toMatch(new RegExp(`name="reach_agent"\\s+value="${other.id}"`))
    expect(browser.html).toContain(`name="reach_workspace" value="${second.id}"`)
    const form = browser.formOf(consent)
    expect([...form.getAll('reach_workspace'), ...form.getAll('reach_agent')]).toEqual([])
  })

  test('nothing picked is no bounds', async () => {
    const { scope, reach } = await granted({})
    expect({ scope, reach }).toEqual({ scope: '*', reach: undefined })
  })

  test('picked agents and workspaces bind the grant, and the scope stays as it is', async () => {
    expect(await granted({ reach_agent: agent.id })).toEqual({
      scope: '*',
      reach: { workspaces: [], agents: { [agent.id]: service.ada.workspaceId } },
      workspaceId: service.ada.workspaceId,
    })
    expect(
      await granted({ reach_workspace: second.id, reach_agent: [agent.id, other.id] }),
    ).toEqual({
      scope: '*',
      reach: { workspaces: [second.id], agents: { [agent.id]: service.ada.workspaceId } },
      workspaceId: service.ada.workspaceId,
    })
  })

  test('the grant starts in a workspace within reach', async () => {
    const { workspaceId } = await granted({ reach_agent: other.id })
    expect(workspaceId).toBe(second.id)
  })

  test('a page that is shown again keeps what was picked', async () => {
    const browser = await begin(await service.signedIn())
    await browser.submit(consent, { decision: 'authorize', scope: [], reach_agent: [other.id] })
    expect(browser.response.status).toBe(422)
    expect(browser.formOf(consent).getAll('reach_agent')).toEqual([other.id])
  })

  test.each(['of another person', 'unknown', 'malformed'])(
    'an agent %s is refused, and nothing is granted',
    async (kind) => {
      const { ctx } = service
      const stranger = await service.account(`stranger-${kind.replaceAll(' ', '-')}`)
      const theirs = await createAgent(ctx, stranger, { name: 'Theirs' })
      const id =
        { 'of another person': theirs.id, unknown: crypto.randomUUID() }[kind] ?? '\0\ud800'
      const before = await listConnectedApps(ctx, service.ada.userId, { limit: 100 })
      const browser = await begin(await service.signedIn())
      await browser.submit(consent, { decision: 'authorize', reach_agent: id })
      expect(browser.response.status).toBe(404)
      expect(browser.html).toContain('No such workspace or agent')
      expect(await listConnectedApps(ctx, service.ada.userId, { limit: 100 })).toEqual(before)
    },
  )

  test.each(['reach_agent', 'reach_workspace'])(
    'a search keeps what is no longer listed (%s) checked, so that the grant is not wider',
    async (field) => {
      const { ctx } = service
      const person = await service.account(`search-${field.replace('_', '-')}`)
      const lost = await createAgent(ctx, person, { name: 'Lost' })
      const id = field === 'reach_agent' ? lost.id : service.ada.workspaceId
      const browser = await begin(await service.signedIn(person))
      await deleteAgent(ctx, person.workspaceId, lost.id)
      await browser.submit(consent, { decision: 'find', agents_like: '', [field]: id })
      expect(browser.html).toContain('Something that you checked is no longer listed')
      expect(browser.formOf(consent).getAll(field)).toEqual([id])
      await browser.submit(consent, { decision: 'authorize' })
      expect(browser.response.status).toBe(404)
      expect((await listConnectedApps(ctx, person.userId, { limit: 100 })).items).toEqual([])
    },
  )

  test('the audit log shows what was picked', async () => {
    await granted({ reach_agent: agent.id })
    const event = await service.ctx.db.read
      .selectFrom('audit_events')
      .select('detail_json')
      .where('action', '=', 'authorize_app')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    expect(event.detail_json).toContain(agent.id)
  })

  test('every agent of many can be found by name, and what was chosen is kept', async () => {
    const { ctx } = service
    const owner = await service.account('owner-of-many')
    const own = { userId: owner.userId, workspaceId: owner.workspaceId }
    const old = await createAgent(ctx, own, { name: 'Old 100%_sure' })
    const older = await createAgent(ctx, own, { name: 'OLD one' })
    await ctx.db.write(async (tx) => {
      const row = await tx
        .selectFrom('agents')
        .selectAll()
        .where('id', '=', old.id)
        .executeTakeFirstOrThrow()
      const rows = Array.from({ length: maxAgents + 1 }, (_, index) => {
        const id = newId(ctx.clock.now() + 1 + index)
        const number = 1_000_000 + index
        return { ...row, id, number, app_name_id: `many-${id}`, name: `Agent ${index}` }
      })
      for (const some of [rows.slice(0, 100), rows.slice(100)])
        await tx.insertInto('agents').values(some).execute()
    })

    const browser = await begin(await service.signedIn(owner))
    const listed = () => browser.html.match(/name="reach_agent"/g)?.length ?? 0
    expect(listed()).toBe(maxAgents)
    expect(browser.html).not.toContain('OLD one')
    const find = async (agents_like: string, changes: Record<string, string | string[]> = {}) => {
      await browser.submit(consent, { decision: 'find', agents_like, ...changes })
      expect(browser.response.status).toBe(200)
    }
    await find('old ONE', { scope: ['apps:read'], access: 'read_only' })
    expect(listed()).toBe(1)
    await find('%_s', { reach_agent: [older.id] })
    expect(listed()).toBe(2)
    await find('nothing like it', { reach_agent: [older.id, old.id] })
    const form = browser.formOf(consent)
    expect(form.getAll('reach_agent').toSorted()).toEqual([old.id, older.id].toSorted())
    expect(form.getAll('scope')).toEqual(['apps:read'])
    expect(form.get('access')).toBe('read_only')
    for (const odd of ['\0', "'", '\\'])
      await find(odd, { reach_agent: [older.id, old.id, 'a\0', ''] })

    const before = await listConnectedApps(ctx, owner.userId, { limit: 100 })
    expect(before.items).toEqual([])
    await browser.submit(consent, { decision: 'authorize', reach_agent: [older.id, old.id] })
    expect(browser.response.status).toBe(303)
    const { reach_json } = await ctx.db.read
      .selectFrom('authorization_requests')
      .select('reach_json')
      .where('user_id', '=', owner.userId)
      .executeTakeFirstOrThrow()
    expect(reach_json).toContain(old.id)
    expect(reach_json).toContain(older.id)
  })

  test('with few agents there is no search', async () => {
    const browser = await begin(await service.signedIn())
    expect(browser.html).not.toContain('agents_like')
  })
})
