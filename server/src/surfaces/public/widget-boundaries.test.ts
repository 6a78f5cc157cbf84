import { beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { hourMs } from '#kernel/durations.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { actorOf } from '#test/support/test-instance.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

const site = 'https://shop.example'

interface Begun {
  readonly token: string
  readonly browser: string
  readonly continues: boolean
}

describeVisitors('a widget', (open) => {
  let service: VisitorService
  let path: string

  beforeAll(async () => {
    service = await open({ page: { widget_origins: [site] } })
    const { widget_key } = await call('get_chat_page', {})
    path = `/chat/widget/${String(widget_key)}`
  })

  const call = (name: string, input: object) =>
    runOperation(service.ctx, actorOf(service.owner), findOperation(name)!, {
      app_id: service.agent.id,
      ...input,
    })
  const load = (origin: string, query = '') =>
    service.request(path + query, { headers: { origin } })
  const enter = (origin: string, body: object = {}, at = path) =>
    service.request(`${at}/visit`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const begin = async (origin: string, body: object = {}, at = path) =>
    (await (await enter(origin, body, at)).json()) as Begun
  /** Another agent of the same workspace, whose widget the same site embeds. */
  const otherAgent = async () => {
    const { id, appNameId } = await createAgent(service.ctx, service.owner, { name: 'Other' })
    const set = { app_id: id, enabled: true, widget_origins: [site] }
    const { widget_key } = await call('update_chat_page', set)
    return { widget: `/chat/widget/${String(widget_key)}`, page: `/chat/${appNameId}` }
  }
  const framedBy = async (query = '') => {
    const { headers } = await service.request(`${path}/frame${query}`)
    return /frame-ancestors ([^;]+)/.exec(headers.get('content-security-policy') ?? '')?.[1]
  }

  test.each([
    ['http://localhost:3000', true],
    ['https://localhost', true],
    ['http://shop.localhost:8080', true],
    ['https://127.0.0.1:8443', true],
    // Policies of frames cannot name these, so the frame would stay empty.
    ['http://[::1]:3000', false],
    ['http://127.0.0.2', false],
    ['http://0.0.0.0:8080', false],
    ['http://localhost.evil.example', false],
  ])(
    'lets the pass of an editor embed it exactly where its frame is shown: %s',
    async (own, is) => {
      const { pass } = (await call('create_widget_pass', {})) as { pass: string }
      const statuses = [
        (await load(own, `?editor=${pass}`)).status,
        (await enter(own, { editor: pass })).status,
      ]
      expect(statuses).toEqual(is ? [200, 200] : [403, 403])
      const { hostname, protocol } = new URL(own)
      const named = [hostname, hostname.replace(/^[^.]+/, '*')].map(
        (host) => `${protocol}//${host}:*`,
      )
      const sources = (await framedBy(`?editor=${pass}`))?.split(' ') ?? []
      expect(sources.some((source) => named.includes(source))).toBe(is)
    },
  )

  test('gives a visit to a program with a copied token of a browser and its site, for a month', async () => {
    const { browser, token } = await begin(site)
    const [start] = await service.say(token, 'hello')
    // This is the boundary: a program sends any origin, and the host's scripts can read the storage.
    service.advance(29 * 24 * hourMs)
    const copied = await begin(site, { browser })
    const listed = (visit: string) => service.ask(visit, '/conversations')
    expect(await (await listed(copied.token)).json()).toMatchObject({
      items: [{ id: start?.conversation_id }],
    })
    // It is no token for requests, and another origin, another agent or the end of all visits end it.
    expect((await listed(browser)).status).toBe(401)
    expect((await enter('https://evil.example', { browser })).status).toBe(403)
    const other = await otherAgent()
    const { continues, token: elsewhere } = await begin(site, { browser }, other.widget)
    expect(continues).toBe(false)
    const read = (at: string, visit: string) =>
      service.request(`${at}/conversations`, {
        headers: { origin: 'null', authorization: `Bearer ${visit}` },
      })
    expect(await (await read(other.page, elsewhere)).json()).toEqual({ items: [] })
    expect((await read(other.page, copied.token)).status).toBe(401)
    expect((await read(service.path, elsewhere)).status).toBe(401)
    service.advance(2 * 24 * hourMs)
    const late = await begin(site, { browser })
    expect(late.continues).toBe(false)
    expect(await (await listed(late.token)).json()).toEqual({ items: [] })
    await call('end_chat_visits', {})
    expect((await begin(site, { browser: copied.browser })).continues).toBe(false)
  })
})
