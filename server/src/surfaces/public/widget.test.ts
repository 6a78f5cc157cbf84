import { beforeAll, beforeEach, expect, test } from 'vitest'
import { countWidgetLoad, openPageOfKey } from '#features/visitors/index.ts'
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

describeVisitors('the widget', (open) => {
  let service: VisitorService
  let path: string

  beforeAll(async () => {
    service = await open()
    const { widget_key } = await call('get_chat_page', {})
    path = `/chat/widget/${String(widget_key)}`
  })
  beforeEach(() => service.change({ access: 'public', widget_origins: [site] }))

  const call = (name: string, input: object, as = service.owner) =>
    runOperation(service.ctx, actorOf(as), findOperation(name)!, {
      app_id: service.agent.id,
      ...input,
    })
  const load = (origin: string, query = '') =>
    service.request(path + query, { headers: { origin } })
  const enter = (origin: string, body: object = {}) =>
    service.request(`${path}/visit`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const begin = async (origin: string, body: object = {}) =>
    (await (await enter(origin, body)).json()) as Begun
  const sites = async () => (await call('get_widget_sites', {})).items as readonly Site[]
  const framedBy = async (query = '') => {
    const { headers } = await service.request(`${path}/frame${query}`)
    return /frame-ancestors ([^;]+)/.exec(headers.get('content-security-policy') ?? '')?.[1]
  }

  test('is for the listed sites only, and for none if the list is empty', async () => {
    expect((await load(site)).status).toBe(200)
    expect(await framedBy()).toBe(site)
    for (const other of ['https://evil.example', `${site}.evil.example`, 'null', '']) {
      expect((await load(other)).status).toBe(403)
      const refused = await enter(other)
      expect([refused.status, await refused.json()]).toEqual([
        403,
        { error: { code: 'origin_refused' } },
      ])
    }
    await service.change({ widget_origins: [] })
    expect([(await load(site)).status, (await enter(site)).status]).toEqual([403, 403])
    expect(await framedBy()).toBe("'none'")
  })

  /** Writes a setting without the checks of an update: an instance without OpenID, an earlier release. */
  const store = async (setting: object) => {
    const ofPage = service.ctx.db.read.selectFrom('chat_pages').select('settings_json')
    const { settings_json } = await ofPage
      .where('agent_id', '=', service.agent.id)
      .executeTakeFirstOrThrow()
    const next = JSON.stringify({ ...(JSON.parse(settings_json) as object), ...setting })
    await service.ctx.db.write((tx) =>
      tx
        .updateTable('chat_pages')
        .set({ settings_json: next })
        .where('agent_id', '=', service.agent.id)
        .execute(),
    )
  }

  test('is not allowed for a computer of its own by what an earlier release has stored', async () => {
    const own = 'http://0.0.0.0:8080'
    await store({ widget_origins: [site, own] })
    expect([(await load(own)).status, (await enter(own)).status]).toEqual([403, 403])
    expect((await load(site)).status).toBe(200)
  })

  test.each(['link', 'members', 'openid'] as const)(
    'never shows a page with the access %s',
    async (access) => {
      const { token } = await begin(site)
      await store({ access })
      expect([(await load(site)).status, (await enter(site)).status]).toEqual([403, 403])
      expect((await service.request(`${path}/frame`)).status).toBe(403)
      expect((await service.ask(token, '/messages', { text: 'hello' })).status).toBe(403)
    },
  )

  test('ends its visits on a site that is no longer listed', async () => {
    const { token } = await begin(site)
    expect((await service.ask(token, '/messages', { text: 'hello' })).status).toBe(200)
    await service.change({ widget_origins: ['https://other.example'] })
    expect((await service.ask(token, '/messages', { text: 'hello' })).status).toBe(403)
    expect((await service.ask(token, '/visit', {})).status).toBe(403)
  })

  test('ends with all visits: its token, and what the browser of the visitor keeps', async () => {
    const { token, browser } = await begin(site)
    await service.say(token, 'hello')
    const { pass } = (await call('create_widget_pass', {})) as { pass: string }
    await call('end_chat_visits', {})
    expect((await service.ask(token, '/messages', { text: 'hello' })).status).toBe(401)
    expect((await service.ask(token, '/visit', {})).status).toBe(401)
    expect((await service.ask(token, '/conversations')).status).toBe(401)
    const next = await begin(site, { browser })
    expect(next.continues).toBe(false)
    expect(await (await service.ask(next.token, '/conversations')).json()).toEqual({ items: [] })
    // The pass of an editor is no visit: it ends with its hours or the role.
    expect((await enter('http://localhost:3000', { editor: pass })).status).toBe(200)
  })

  test('remembers a visitor on the same site, on no other, and not on the page', async () => {
    const other = 'https://blog.example'
    await service.change({ widget_origins: [site, other] })
    const { token, browser } = await begin(site)
    const [start] = await service.say(token, 'hello')
    const listed = async (token: string) =>
      await (await service.ask(token, '/conversations')).json()
    const again = await begin(site, { browser })
    expect(again.continues).toBe(true)
    expect(await listed(again.token)).toMatchObject({ items: [{ id: start?.conversation_id }] })
    const elsewhere = await begin(other, { browser })
    expect(elsewhere.continues).toBe(false)
    expect(await listed(elsewhere.token)).toEqual({ items: [] })
    const page = await service.visit(`parley_visitor=${browser}`)
    expect(await listed(page.token)).toEqual({ items: [] })
  })

  test('works on localhost with the pass of an editor, for hours, until the role ends', async () => {
    const local = 'http://localhost:3000'
    const { pass } = (await call('create_widget_pass', {})) as { pass: string }
    expect((await enter(local)).status).toBe(403)
    expect((await enter(local, { editor: `${pass}x` })).status).toBe(403)
    expect((await enter('https://evil.example', { editor: pass })).status).toBe(403)
    expect((await load(local, `?editor=${pass}`)).status).toBe(200)
    expect(await framedBy(`?editor=${pass}`)).toContain('http://localhost:*')
    const { token } = await begin(local, { editor: pass })
    expect((await service.ask(token, '/visit', {})).status).toBe(200)
    const viewer = await service.person()
    await service.join(viewer, service.owner.workspaceId, 'viewer')
    const as = { ...viewer, workspaceId: service.owner.workspaceId }
    await expect(call('create_widget_pass', {}, as)).rejects.toMatchObject({ kind: 'forbidden' })
    await service.ctx.db.write((tx) =>
      tx
        .updateTable('memberships')
        .set({ role: 'viewer' })
        .where('user_id', '=', service.owner.userId)
        .execute(),
    )
    expect((await enter(local, { editor: pass })).status).toBe(403)
    expect((await service.ask(token, '/visit', {})).status).toBe(403)
    await service.ctx.db.write((tx) =>
      tx
        .updateTable('memberships')
        .set({ role: 'owner' })
        .where('user_id', '=', service.owner.userId)
        .execute(),
    )
    service.advance(8 * hourMs)
    expect((await enter(local, { editor: pass })).status).toBe(403)
  })

  test('ends a visit with the pass of the editor, which the browser does not keep', async () => {
    const local = 'http://localhost:3000'
    const { pass } = (await call('create_widget_pass', {})) as { pass: string }
    service.advance(8 * hourMs - 60_000)
    const { token, browser } = await begin(local, { editor: pass })
    const claims = JSON.parse(Buffer.from(browser.split('.')[0] ?? '', 'base64url').toString())
    expect(claims).not.toHaveProperty('editor')
    const renewed = await service.ask(token, '/visit', {})
    const { token: last, ends_in } = (await renewed.json()) as { token: string; ends_in: number }
    expect(ends_in).toBeLessThanOrEqual(60_000)
    service.advance(60_000)
    expect((await service.ask(last, '/visit', {})).status).toBe(401)
    expect((await enter(local, { editor: pass, browser })).status).toBe(403)
  })

  test.each([
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://0.0.0.0:8080',
    'http://0',
    'https://127.1:8443',
    'http://2130706433',
    'http://shop.localhost',
    'https://shop.example/path',
    "https://shop.example; script-src 'unsafe-inline'",
    'https://a;b',
    '*',
    'data:',
  ])('cannot be allowed for the site %j', async (origin) => {
    await expect(call('update_chat_page', { widget_origins: [origin] })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })

  test('counts its loads although one that is counted with them cannot be stored', async () => {
    const before = (await sites()).find(({ origin }) => origin === site)?.loads ?? 0
    const page = await openPageOfKey(service.ctx, path.split('/').at(-1) ?? '')
    const one = { origin: site, loads: 1, visits: 0 }
    await Promise.all([
      countWidgetLoad(service.ctx, page, one),
      // These two are stored together, after the first.
      countWidgetLoad(service.ctx, { ...page, agentId: 'deleted' }, one),
      countWidgetLoad(service.ctx, page, one),
    ])
    await expect
      .poll(async () => (await sites()).find(({ origin }) => origin === site)?.loads)
      .toBe(before + 2)
  })

  test('counts its loads in short units, each as the workspace whose page it is', async () => {
    const page = await openPageOfKey(service.ctx, path.split('/').at(-1) ?? '')
    const { db } = service.ctx
    const tenants: string[] = []
    const watched = {
      ...service.ctx,
      db: {
        ...db,
        async forTenant<T>(tenant: string, code: () => T): Promise<T> {
          tenants.push(tenant)
          return await db.forTenant(tenant, code)
        },
      } as typeof db,
    }
    const one = { origin: site, loads: 1, visits: 0 }
    const of = (workspaceId: string, n: number) =>
      countWidgetLoad(watched, { ...page, workspaceId, agentId: `${workspaceId} ${n}` }, one)
    const many = Array.from({ length: 60 }, (_, n) => [of('one', n), of('two', n)]).flat()
    await Promise.all(many)
    // The first load is stored alone; the others, which came meanwhile, together.
    expect(tenants).toEqual(['one', 'two', 'two', 'one', 'one'])
  })

  test('counts where it is loaded and opened', async () => {
    const before = await sites()
    const was = (origin: string) => before.find((one) => one.origin === origin)
    await Promise.all([load(site), load(site), load('https://evil.example'), enter(site)])
    await expect.poll(sites).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          origin: site,
          loads: (was(site)?.loads ?? 0) + 2,
          visits: (was(site)?.visits ?? 0) + 1,
        }),
        expect.objectContaining({ origin: '', loads: (was('')?.loads ?? 0) + 1 }),
      ]),
    )
  })

  test('counts at most 50 sites in a day, however often the list is replaced', async () => {
    service.advance(24 * hourMs)
    const page = await openPageOfKey(service.ctx, path.split('/').at(-1) ?? '')
    for (let n = 0; n < 60; n += 1) {
      const origin = `https://site-${n}.example`
      const settings = { ...page.settings, widget_origins: [origin] }
      await countWidgetLoad(service.ctx, { ...page, settings }, { origin, loads: 1, visits: 0 })
    }
    const settings = { ...page.settings, widget_origins: ['https://site-0.example'] }
    const known = { origin: 'https://site-0.example', loads: 1, visits: 0 }
    await countWidgetLoad(service.ctx, { ...page, settings }, known)
    const items = (await call('get_widget_sites', { days: 1 })).items as readonly Site[]
    expect(items).toHaveLength(51)
    expect(items[0]).toMatchObject({ origin: '', loads: 10 })
    expect(items[1]).toMatchObject({ origin: 'https://site-0.example', loads: 2 })
  })
})

interface Site {
  readonly origin: string
  readonly loads: number
  readonly visits: number
}
