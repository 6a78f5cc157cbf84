import { beforeAll, expect, test } from 'vitest'
import { createAgent, type Agent } from '#features/agents/index.ts'
import { storeSession } from '#test/support/chat/chat-history.ts'
import {
  describeSignIn,
  type Account,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

describeSignIn('GET /api/dashboard/agents/{appId}/conversations', (open) => {
  let service: SignInService
  let agent: Agent

  beforeAll(async () => {
    service = await open()
    agent = await createAgent(service.ctx, service.ada, { name: 'Talker' })
    const place = { workspaceId: service.ada.workspaceId, agentId: agent.id }
    const messages = [{ role: 'user', at: 1000, content: 'Grüezi' }] as const
    await storeSession(service.ctx.db, { ...place, endUser: 'customer-7', messages })
  })

  async function exported(query: string, account?: Account): Promise<Response> {
    const browser = await service.signedIn(account)
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return await service.app.request(`/api/dashboard/agents/${agent.id}/conversations${query}`, {
      headers: { cookie },
    })
  }

  test('is a file with a line for each message, and the audit log records who exported it', async () => {
    const response = await exported('?format=jsonl')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/jsonl; charset=utf-8')
    expect(response.headers.get('content-disposition')).toContain('conversations.jsonl')
    expect(JSON.parse(await response.text())).toMatchObject({ content: 'Grüezi', role: 'user' })
    const events = await service.ctx.db.read
      .selectFrom('audit_events')
      .select(['user_id', 'target', 'outcome'])
      .where('action', '=', 'export_conversations')
      .execute()
    expect(events).toEqual([{ user_id: service.ada.userId, target: agent.id, outcome: 'done' }])
  })

  test('is CSV by default, and covers the requested time', async () => {
    const text = await (await exported('')).text()
    expect(text.split('\r\n')).toHaveLength(3)
    const later = await (await exported('?from=2026-01-01T00:00:00Z')).text()
    expect(later.split('\r\n')).toHaveLength(2)
  })

  test('can cover one end user alone', async () => {
    const lines = async (query: string) => (await (await exported(query)).text()).split('\r\n')
    expect(await lines('?end_user=customer-7')).toHaveLength(3)
    expect(await lines('?end_user=customer-70')).toHaveLength(2)
    expect((await exported('?end_user=')).status).toBe(422)
  })

  test('is refused to non-members as if the agent did not exist', async () => {
    const stranger = await service.account('stranger')
    const response = await exported('', stranger)
    expect(response.status).toBe(404)
    expect(await response.text()).not.toContain('Grüezi')
  })

  test('refuses a format that it does not have', async () => {
    expect((await exported('?format=xml')).status).toBe(422)
  })
})
