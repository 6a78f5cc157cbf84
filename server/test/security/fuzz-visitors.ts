import fc from 'fast-check'
import { beginVisit, openPage, updateChatPage } from '#features/visitors/index.ts'
import type { Tenant } from '#test/tenancy/tenant.ts'
import type { Entry } from './fuzz-entry.ts'
import type { FuzzedService } from './fuzzed-service.ts'
import { jsonPayloads } from './mutations.ts'

/** What the script of a chat page sends, with the token of a visitor. */
export async function visitorEntries(
  { service: { ctx } }: FuzzedService,
  { workspaceId, appId, appNameId }: Tenant,
): Promise<readonly Entry[]> {
  const origin = 'https://shop.example'
  const set = { enabled: true, widget_origins: [origin] }
  const { widgetKey } = await updateChatPage(ctx, workspaceId, appId, set)
  const page = await openPage(ctx, appNameId)
  const { token } = await beginVisit(ctx, page, { browserToken: null })
  const id = fc.oneof(fc.uuid(), fc.string(), fc.constant(null))
  const bodies = {
    visit: fc.constant({}),
    messages: fc.record({ text: fc.string(), conversation_id: id }),
    ratings: fc.record({
      conversation_id: id,
      message_id: id,
      rating: fc.constantFrom('up', 'down', null, 1),
      comment: fc.string(),
    }),
  }
  const widget = fc.record({ browser: fc.string(), identity: fc.string(), editor: fc.string() })
  const ofPage = Object.entries(bodies).map(([name, body]) => ({
    name: `the chat page’s ${name}`,
    route: `/chat/:app/${name}`,
    path: `/chat/${appNameId}/${name}`,
    headers: { authorization: `Bearer ${token}`, origin: 'null' },
    payloads: jsonPayloads(body),
  }))
  return [
    ...ofPage,
    {
      name: 'the visit of a widget',
      route: '/chat/widget/:key/visit',
      path: `/chat/widget/${widgetKey}/visit`,
      headers: { origin },
      payloads: jsonPayloads(widget),
    },
  ]
}
