import type { AttackedService } from '#test/support/processes/attacked-service.ts'

/** Requests of the clients of an agent with JSON that is deeply nested. */
export async function deepFromClients({ post, chatKey }: AttackedService, deep: string) {
  const headers = { authorization: `Bearer ${chatKey}` }
  return await Promise.all([
    post('/api/v1/responses', deep, headers),
    post('/api/v1/responses', `{"input":${deep}}`, headers),
    post('/api/v1/responses/compact', deep, headers),
    post('/api/v1/conversations', deep, headers),
    post('/api/v1/conversations', `{"items":${deep}}`, headers),
    post('/api/v1/chat/feedback', deep, headers),
  ])
}

/** Requests of visitors with such JSON. Their bodies may be shorter, so some are as deep as fits. */
export async function deepFromVisitors(service: AttackedService, deep: string) {
  const { agent, parley, post } = service
  const settings = { app_id: agent.id, enabled: true, message_characters: 32_000 }
  const page = await service.operation('update_chat_page', JSON.stringify(settings))
  const { widget_key: key } = JSON.parse(page.body)
  const path = `/chat/${agent.app_name_id}`
  const html = await (await fetch(new URL(path, parley.baseUrl))).text()
  const token = /"token":"([^"]+)"/.exec(html)?.[1] ?? ''
  const headers = { origin: 'null', authorization: `Bearer ${token}` }
  const fitting = (bytes: number) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2)
  // It reads no body, so none is refused.
  const visit = await post(`${path}/visit`, deep, headers)
  if (visit.status !== 200) throw new Error(`the visit was not renewed: ${visit.body}`)
  return await Promise.all([
    post(`${path}/messages`, deep, headers),
    post(`${path}/messages`, `{"text":"x","files":${fitting(190_000)}}`, headers),
    post(`${path}/ratings`, fitting(60_000), headers),
    post(`/chat/widget/${key}/visit`, fitting(32_000), { origin: 'https://shop.example' }),
  ])
}
