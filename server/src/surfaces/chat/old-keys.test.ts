import { expect, test } from 'vitest'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { insertOldKey, listedKey } from '#test/support/identity/old-key.ts'

describeChat('a chat key of an earlier release', (open) => {
  test('works, and is marked in both lists', async () => {
    const service = await open()
    const { agent, owner } = service
    const { id, token } = await insertOldKey(service, owner, agent.id)
    expect(token).toMatch(/^svc_ck_[\w-]{43}$/)
    const body = { model: agent.app_name_id, messages: [{ role: 'user', content: 'Hello' }] }
    const answer = await service.post(body, { authorization: `Bearer ${token}` })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ choices: [{ finish_reason: 'stop' }] })
    service.advance(100 * 24 * 60 * 60_000)
    const lists = [
      { operation: 'list_chat_keys', input: { app_id: agent.id } },
      { operation: 'list_unused_credentials', input: { days: 1 } },
    ]
    for (const list of lists)
      expect(await listedKey(service, owner, list, id)).toMatchObject({ has_checksum: false })
  })
})
