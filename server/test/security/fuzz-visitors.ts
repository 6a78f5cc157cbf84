import fc from 'fast-check'
import { createAgent } from '#features/agents/index.ts'
import { beginVisit, checkDomainNow, openPage, updateChatPage } from '#features/visitors/index.ts'
import type { Tenant } from '#test/tenancy/tenant.ts'
import type { Entry } from './fuzz-entry.ts'
import type { FuzzedService } from './fuzzed-service.ts'
import { jsonPayloads, wholeJson } from './mutations.ts'

const domain = 'chat.shop.example'

/** The entries whose every request is accepted. */
export const acceptedMessages = {
  files: 'messages of visitors with a file',
  captcha: 'messages of visitors with a captcha',
}

/** Files as the page's script sends them: real ones, others under their type, and what is none. */
function files() {
  const types = ['text/plain', 'text/csv', 'text/html', 'application/pdf', 'image/png', 'image/gif']
  const contents = fc.oneof(
    fc.string().map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom('a,b\n1,2', '%PDF-1.7\n', '\x89PNG\r\n\x1a\n')
      .map((text) => Buffer.from(text, 'latin1')),
  )
  const data = fc
    .tuple(fc.constantFrom(...types), contents)
    .map(([type, bytes]) => `data:${type};base64,${bytes.toString('base64')}`)
  const file = fc.record({ name: fc.string(), data: fc.oneof(data, fc.string()) })
  return fc.array(file, { maxLength: 6 })
}

/** Proves the domain with its record, and serves the page there. */
async function serveDomain(
  { service: { ctx }, dns }: FuzzedService,
  { workspaceId, appId }: Readonly<Record<'workspaceId' | 'appId', string>>,
): Promise<void> {
  const page = await updateChatPage(ctx, workspaceId, appId, { domain })
  if (page.domain === null) throw new Error('the page has no domain')
  const { name, value } = page.domain.proof
  dns.texts.set(name, [value])
  const checked = await checkDomainNow(ctx, workspaceId, appId)
  if (checked.domain?.state !== 'served') throw new Error('the domain is not served')
}

/** A page that is open to everyone, with a widget, a domain and a visit. */
export interface Visited {
  readonly appNameId: string
  readonly widgetKey: string
  readonly token: string
  /** The site that embeds the widget. */
  readonly origin: string
  readonly domain: string
}

export async function openVisited(fuzzed: FuzzedService, tenant: Tenant): Promise<Visited> {
  const { ctx } = fuzzed.service
  const { workspaceId } = tenant
  // An agent of its own: the operations that are tried change the page of the tenant's.
  const visited = { name: 'Visited', model: 'openai/mock' }
  const { id: appId, appNameId } = await createAgent(ctx, tenant, visited)
  const origin = 'https://shop.example'
  const set = { enabled: true, widget_origins: [origin], visitor_files: true }
  await serveDomain(fuzzed, { workspaceId, appId })
  const { widgetKey } = await updateChatPage(ctx, workspaceId, appId, set)
  if (widgetKey === null) throw new Error('the page has no widget')
  const page = await openPage(ctx, appNameId)
  const { token } = await beginVisit(ctx, page, { browserToken: null })
  return { appNameId, widgetKey, token, origin, domain }
}

/** What the script of a chat page sends, with the token of a visitor. */
export function visitorEntries(
  fuzzed: FuzzedService,
  { appNameId, widgetKey, token, origin }: Visited,
): readonly Entry[] {
  const id = fc.oneof(fc.uuid(), fc.string(), fc.constant(null))
  // A captcha is good for one message, so each message that is generated has one of its own.
  const solved = fc.constant('localhost').map((host) => fuzzed.captcha.solve(host))
  const proof = fc.oneof(solved, fc.string(), fc.base64String())
  const words = fc.stringMatching(/^[a-z ]{1,200}[a-z]$/)
  const withCaptcha = fc.record({ text: words, proof: solved })
  const withFile = words.map((text) => ({
    text,
    files: [{ name: 'a.txt', data: `data:text/plain;base64,${btoa(text)}` }],
  }))
  const bodies = {
    visit: fc.constant({}),
    messages: fc.record(
      { text: fc.string(), conversation_id: id, again: id, files: files(), proof },
      { requiredKeys: ['text'] },
    ),
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
    ...ofPage.map((entry) => ({
      ...entry,
      name: `${entry.name} at its domain`,
      at: `http://${domain}`,
    })),
    ...ofPage
      .filter(({ route }) => route.endsWith('/messages'))
      .flatMap((entry) => [
        { ...entry, name: `${entry.name} under pressure`, underPressure: true },
        { ...entry, name: acceptedMessages.files, payloads: wholeJson(withFile) },
        {
          ...entry,
          name: acceptedMessages.captcha,
          payloads: wholeJson(withCaptcha),
          underPressure: true,
        },
      ]),
    {
      name: 'the visit of a widget',
      route: '/chat/widget/:key/visit',
      path: `/chat/widget/${widgetKey}/visit`,
      headers: { origin },
      payloads: jsonPayloads(widget),
    },
  ]
}
