import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { updateAgent } from '#features/agents/index.ts'
import { getChatPage } from '#features/visitors/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { actorOf } from '#test/support/test-instance.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'
import { languageCodes, languageOf } from './texts/texts.ts'

const attack = '</script><script>alert(1)</script><img src=x onerror=alert(1)>'

describeVisitors('the chat page', (open) => {
  let service: VisitorService

  beforeAll(async () => {
    service = await open()
  })
  beforeEach(() => service.change({ enabled: true, paused: false, access: 'public' }))

  const call = (name: string, input: object) =>
    runOperation(service.ctx, actorOf(service.owner), findOperation(name)!, {
      app_id: service.agent.id,
      ...input,
    })

  test('is off until an editor switches it on, and then says no more than an unknown address', async () => {
    await service.change({ enabled: false })
    const off = await service.request(service.path)
    const unknown = await service.request('/chat/nothing-1')
    expect([off.status, unknown.status]).toEqual([404, 404])
    const plain = (html: string) => html.replaceAll(/nonce="[^"]*"/g, '')
    expect(plain(await off.text())).toBe(plain(await unknown.text()))
    await call('update_chat_page', { enabled: true })
    expect((await service.request(service.path)).status).toBe(200)
  })

  test('runs in an origin of its own, under its own policy, and is not for search engines', async () => {
    const { headers } = await service.request(service.path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self';")
    expect(policy).toMatch(/sandbox (?!.*allow-same-origin)/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(headers.get('x-robots-tag')).toBe('noindex')
    expect(headers.get('access-control-allow-origin')).toBeNull()
    await service.change({ indexable: true })
    const open = await service.request(service.path)
    expect(open.headers.get('x-robots-tag')).toBeNull()
    expect(await open.text()).not.toContain('noindex')
  })

  test('gives its cookie to its own address only, out of reach of scripts', async () => {
    const { headers } = await service.request(service.path)
    const [cookie, ...others] = headers.getSetCookie()
    expect(others).toEqual([])
    expect(cookie).toMatch(new RegExp(`; Path=${service.path};.*HttpOnly`))
    expect(cookie).toContain('SameSite=Lax')
  })

  test('contains no markup that an editor has typed', async () => {
    await updateAgent(service.ctx, service.owner, service.agent.id, {
      greeting: attack,
      suggestions: [attack],
    })
    await service.change({ title: attack.slice(0, 100), disclaimer: attack, greeting: attack })
    const { html } = await service.visit()
    expect(html).toContain('&lt;/script&gt;')
    expect(html).not.toContain('<script>alert')
    expect(html).not.toContain('<img src=x')
    await service.change({ title: '', disclaimer: '', greeting: '' })
  })

  test.each([
    { privacy_url: 'javascript:alert(1)' },
    { imprint_url: 'data:text/html,x' },
    { imprint_url: 'https://ada:secret@example.com/' },
    { logo: 'https://elsewhere.example/pixel.png' },
    { logo: 'data:text/html;base64,AAAA' },
    { color: 'red;}body{display:none' },
    { header_color: '#000;}body{display:none' },
    { background_color: 'url(https://elsewhere.example)' },
    { font: 'x;}body{display:none' },
  ])('refuses the setting %j', async (patch) => {
    await expect(call('update_chat_page', patch)).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('speaks the first language of the browser that it knows, Arabic from right to left', async () => {
    const speak = async (accepted: string) =>
      (await service.request(service.path, { headers: { 'accept-language': accepted } })).text()
    expect(await speak('de-AT,en;q=0.5')).toContain('<html lang="de" dir="ltr"')
    expect(await speak('xx, ar;q=0.8, en;q=0.2')).toContain('<html lang="ar" dir="rtl"')
    expect(await speak('xx')).toContain('<html lang="en" dir="ltr"')
    expect(languageCodes).toHaveLength(12)
    const english = languageOf('en').texts
    for (const code of languageCodes)
      for (const [key, text] of Object.entries(languageOf(code).texts)) {
        const holes = (one: string) => one.match(/\{\w+\}/g)
        expect(holes(text), `${code} ${key}`).toEqual(holes(english[key as keyof typeof english]))
      }
  })

  describe('for some people only', () => {
    test('opens by its link, which ends with all visits', async () => {
      await service.change({ access: 'link' })
      expect((await service.request(service.path)).status).toBe(403)
      expect((await service.request(`${service.path}?k=wrong`)).status).toBe(403)
      const { url } = await call('get_chat_page', {})
      const query = new URL(String(url)).search
      const { token, cookie } = await service.visit('', query)
      // The browser remembers the link.
      expect((await service.visit(cookie)).token).not.toBe('')
      expect((await service.ask(token, '/conversations')).status).toBe(200)
      await call('end_chat_visits', {})
      expect((await service.ask(token, '/conversations')).status).toBe(401)
      const headers = { cookie }
      expect((await service.request(service.path + query, { headers })).status).toBe(403)
    })

    test('leads members to the sign-in, and takes no cookie of the dashboard itself', async () => {
      await service.change({ access: 'members' })
      const refused = await service.request(service.path)
      expect(refused.status).toBe(403)
      expect(await refused.text()).toContain(`href="/login${service.path}"`)
      const enter = await service.request(`/login${service.path}`)
      expect(enter.status).toBe(303)
      expect(enter.headers.get('location')).toMatch(/^\/login\?return_to=/)
    })

    test('a token of a public visit does not open it', async () => {
      const { token } = await service.visit()
      await service.change({ access: 'members' })
      const response = await service.ask(token, '/messages', { text: 'hello' })
      expect(response.status).toBe(403)
      expect(service.model.requests).toEqual([])
    })
  })
})

describeVisitors('on a plan without the chat API', (open) => {
  const site = 'https://shop.example'
  const refused = [403, { error: { code: 'page_not_on_plan' } }]

  test('the page and the widget say that they are not available, also to visitors who are there', async () => {
    const service = await open({ page: { widget_origins: [site] } })
    const { ctx, owner, agent, path, request } = service
    const { widgetKey } = await getChatPage(ctx, owner.workspaceId, agent.id)
    const widget = `/chat/widget/${widgetKey}`
    const headers = { origin: site, 'content-type': 'application/json' }
    const enter = () => request(`${widget}/visit`, { method: 'POST', headers, body: '{}' })
    const { token: framed } = (await (await enter()).json()) as { token: string }
    const { token } = await service.visit()
    expect((await request(widget, { headers })).status).toBe(200)
    await ctx.db.write((tx) =>
      tx
        .updateTable('workspaces')
        .set({ plan: 'free' })
        .where('id', '=', owner.workspaceId)
        .execute(),
    )
    for (const shown of [path, `${path}/app`, `${widget}/frame`]) {
      const page = await request(shown)
      expect([shown, page.status]).toEqual([shown, 403])
      const html = await page.text()
      expect(html).toContain('This chat is not available.')
      expect(html).not.toContain('Helper')
    }
    const answers = [
      request(widget, { headers }),
      enter(),
      ...[token, framed].flatMap((one) => [
        service.ask(one, '/messages', { text: 'hello' }),
        service.ask(one, '/visit', {}),
        service.ask(one, '/conversations'),
      ]),
    ]
    for (const answer of await Promise.all(answers))
      expect([answer.status, await answer.json()]).toEqual(refused)
    expect(service.model.requests).toEqual([])
  })
})
