import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAgent, deleteAgent } from '#features/agents/index.ts'
import { checkDomains, getChatPage, updateChatPage } from '#features/visitors/index.ts'
import { hourMs } from '#kernel/durations.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { startDnsServer, type DnsServer } from '#test/support/servers/dns-server.ts'
import { actorOf, type Person } from '#test/support/test-instance.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

const domain = 'chat.shop.example'
const at = (path: string, host = domain) => `http://${host}${path}`

interface Shown {
  readonly url: string
  readonly domain: string
  readonly domain_check: {
    readonly state: string
    readonly txt_name: string
    readonly txt_value: string
    readonly problem: string | null
    readonly stops_at: string | null
  }
}

describeVisitors('the domain of a chat page', (open) => {
  let service: VisitorService
  let dns: DnsServer
  /** Of another workspace. */
  let rival: Person & { readonly appId: string }

  beforeAll(async () => {
    dns = await startDnsServer()
    service = await open({
      environment: {
        BASE_URL: 'https://parley.example',
        DNS_SERVERS: dns.address,
        LIMITS: 'domains_per_workspace=2',
        CHAT_DOMAINS_PER_DAY: 'unlimited',
        VISITOR_REQUEST_LIMIT: 'unlimited',
      },
    })
    const person = await service.person()
    const { id } = await createAgent(service.ctx, person, { name: 'Rival' })
    rival = { ...person, appId: id }
    await call('update_chat_page', { enabled: true }, rival)
  })
  afterAll(() => dns.stop())
  beforeEach(async () => {
    dns.texts.clear()
    dns.fails = false
    await service.change({ access: 'public' })
    for (const who of [undefined, rival])
      await call('update_chat_page', { slug: '', domain: '' }, who)
  })

  const call = async (name: string, input: object, who?: Person & { readonly appId: string }) => {
    const { ctx, owner, agent } = service
    const given = { app_id: who?.appId ?? agent.id, ...input }
    const answer = await runOperation(ctx, actorOf(who ?? owner), findOperation(name)!, given)
    return answer as unknown as Shown // These operations answer with a chat page.
  }
  const refusal = (input: object, who?: typeof rival) =>
    expect(call('update_chat_page', input, who)).rejects.toMatchObject({ code: 'invalid_input' })
  const prove = async (who?: typeof rival) => {
    const { domain_check: check } = await call('get_chat_page', {}, who)
    dns.texts.set(check.txt_name, [...(dns.texts.get(check.txt_name) ?? []), check.txt_value])
  }
  const check = async (who?: typeof rival) => {
    service.advance(5000)
    return (await call('check_chat_domain', {}, who)).domain_check
  }
  const serve = async () => {
    await call('update_chat_page', { domain })
    await prove()
    expect(await check()).toMatchObject({ state: 'served', problem: null })
  }
  const runJob = () => {
    const run = { id: '', attempt: 1, isLast: false, signal: new AbortController().signal }
    return checkDomains.run(service.ctx, {}, run)
  }

  test('a domain is served after its record proves it, and then serves the page alone', async () => {
    await call('update_chat_page', { domain: 'Chat.Shop.Example.' })
    expect(await call('get_chat_page', {})).toMatchObject({
      url: `https://parley.example${service.path}`,
      domain,
      domain_check: { state: 'waiting', txt_name: `_parley.${domain}`, target: 'parley.example' },
    })
    expect(await check()).toMatchObject({ state: 'waiting', problem: 'no_record' })
    dns.texts.set(`_parley.${domain}`, ['parley-domain=guessed'])
    expect(await check()).toMatchObject({ state: 'waiting', problem: 'other_record' })
    const unproven = await service.request(at('/'))
    expect(unproven.headers.getSetCookie()).toEqual([])
    expect(await unproven.text()).not.toMatch(/page\.js|Helper/)
    expect((await service.request(`/chat-domains/ask?domain=${domain}`)).status).toBe(404)
    await prove()
    expect(await check()).toMatchObject({ state: 'served', problem: null })
    expect((await call('get_chat_page', {})).url).toBe(`https://${domain}/`)

    const page = await service.request(at('/'))
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toMatch(/sandbox (?!.*allow-same-origin)/)
    expect(page.headers.getSetCookie().join()).toMatch(/Path=\/; HttpOnly(?!.*Domain)/)
    const html = await page.text()
    expect(html).toContain('src="/chat-assets/page.js')
    expect(html).toContain('<link rel="icon" href="/icon.svg"')
    expect((await service.request(at('/icon.svg'))).status).toBe(200)
    const font = /url\('([^']+)'\)/.exec(html)?.[1] ?? ''
    expect((await service.request(at(font))).headers.get('access-control-allow-origin')).toBe('*')
    const token = /"token":"([^"]+)"/.exec(html)?.[1] ?? ''
    const said = await service.request(at(`${service.path}/messages`), {
      method: 'POST',
      headers: {
        origin: 'null',
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      body: '{"text":"hello"}',
    })
    expect(await said.text()).toContain('"type":"done"')
    for (const path of [
      '/login',
      '/agents',
      '/api/dashboard/me',
      '/api/v1/models',
      '/mcp',
      '/healthz',
      '/metrics',
      '/.well-known/oauth-authorization-server',
      '/docs',
      '/acp/x',
      '/chat-domains/ask',
      service.path,
      `${service.path}/enter`,
      `/login${service.path}`,
      '/chat/widget/x',
      '//parley.example/login',
    ]) {
      const { status, headers } = await service.request(at(path))
      expect([path, status, headers.get('location')]).toEqual([path, 404, null])
    }
    const posted = await service.request(at('/api/v1/chat/completions'), { method: 'POST' })
    expect(posted.status).toBe(404)
    for (const host of [`${domain}.`, domain.toUpperCase(), `${domain}:8443`])
      expect((await service.request(at('/login', host))).status).toBe(404)
    expect((await service.request(`/chat-domains/ask?domain=${domain}`)).status).toBe(200)
  })

  test('the header X-Forwarded-Host and another page’s name lead nowhere at a domain', async () => {
    await serve()
    const headers = { 'x-forwarded-host': 'parley.example', forwarded: 'host=parley.example' }
    expect((await service.request(at('/login'), { headers })).status).toBe(404)
    const forged = { headers: { 'x-forwarded-host': domain } }
    expect((await service.request('/healthz', forged)).status).toBe(200)
    expect((await service.request(at('/chat/rival-2/conversations'))).status).toBe(404)
  })

  test('of two workspaces that enter a domain, the one that proves it serves it', async () => {
    await call('update_chat_page', { domain }, rival)
    expect(await check(rival)).toMatchObject({ state: 'waiting' })
    await serve()
    // The record of one workspace proves nothing for another.
    expect(await check(rival)).toMatchObject({ state: 'waiting', problem: 'other_record' })
    await prove(rival)
    expect(await check(rival)).toMatchObject({ state: 'waiting', problem: 'in_use' })
    expect(await check()).toMatchObject({ state: 'served' })
    // The new owner of the domain has replaced the record.
    dns.texts.clear()
    await prove(rival)
    expect(await check(rival)).toMatchObject({ state: 'served' })
    expect((await call('get_chat_page', {})).domain_check).toMatchObject({ state: 'lost' })
  })

  test('a domain whose record is gone is served for three days, then says that there is no chat', async () => {
    await serve()
    dns.texts.clear()
    service.advance(2 * hourMs)
    await runJob()
    const { domain_check: failing } = await call('get_chat_page', {})
    expect(failing).toMatchObject({ state: 'served', problem: 'no_record' })
    const { ctx } = service
    expect(failing.stops_at).toBe(new Date(ctx.clock.now() + 72 * hourMs).toISOString())
    service.advance(71 * hourMs)
    await runJob()
    expect((await service.request(at('/'))).status).toBe(200)
    service.advance(2 * hourMs)
    await runJob()
    expect((await call('get_chat_page', {})).domain_check).toMatchObject({ state: 'lost' })
    for (const path of ['/', '/login', '/healthz'])
      expect((await service.request(at(path))).status).toBe(404)
    expect((await service.request(`/chat-domains/ask?domain=${domain}`)).status).toBe(404)
    await prove()
    service.advance(2 * hourMs)
    await runJob()
    expect((await service.request(at('/'))).status).toBe(200)
  })

  test('servers that do not answer end nothing, and prove nothing', async () => {
    await serve()
    dns.fails = true
    for (let day = 0; day < 10; day += 1) {
      service.advance(24 * hourMs)
      await runJob()
    }
    expect((await call('get_chat_page', {})).domain_check).toMatchObject({
      state: 'served',
      problem: 'no_answer',
    })
    await call('update_chat_page', { domain: 'other.shop.example' })
    expect(await check()).toMatchObject({ state: 'waiting', problem: 'no_answer' })
    for (const name of [domain, 'other.shop.example'])
      expect((await service.request(`/chat-domains/ask?domain=${name}`)).status).toBe(404)
  })

  test.each([
    'parley.example',
    'localhost',
    '127.0.0.1',
    '[::1]',
    '2130706433',
    '0x7f.1',
    'example',
    'https://chat.example.com',
    'chat.example.com/path',
    'chat.example.com:444',
    'a..b',

    '-a.example',
    '*.example.com',
    'a b.example',
    '"><script>.example',
    `${'a'.repeat(64)}.com`,
  ])('%s is refused as a domain', (wrong) => refusal({ domain: wrong }))

  test('a workspace has a limited number of domains, and each once', async () => {
    const { ctx, owner } = service
    const second = await createAgent(ctx, owner, { name: 'Second' })
    await call('update_chat_page', { domain })
    await refusal({ app_id: second.id, domain })
    await call('update_chat_page', { app_id: second.id, domain: 'two.shop.example' })
    const third = await createAgent(ctx, owner, { name: 'Third' })
    const beyond = call('update_chat_page', { app_id: third.id, domain: 'three.shop.example' })
    await expect(beyond).rejects.toMatchObject({ code: 'limit_reached' })
    for (const { id } of [second, third]) await deleteAgent(ctx, owner.workspaceId, id)
  })

  test('a page for some people sends them to the address of the service, without its name', async () => {
    await serve()
    await service.change({ access: 'members', title: 'Secret project' })
    const refused = await service.request(at('/'))
    const html = await refused.text()
    expect(refused.status).toBe(403)
    expect(html).toContain(`href="https://parley.example${service.path}"`)
    expect(html).not.toContain('Secret project')
    await service.change({ title: '' })
  })
})

describeVisitors('the domains of a day', (open) => {
  async function opened() {
    const service = await open({ environment: { CHAT_DOMAINS_PER_DAY: '3' } })
    const { ctx, owner, agent } = service
    const enter = (domain: string, appId = agent.id, workspaceId = owner.workspaceId) =>
      updateChatPage(ctx, workspaceId, appId, { domain, title: domain })
    return { ...service, enter }
  }
  const limited = { code: 'domains_limited', facts: { limit: 3 } }

  test('are limited for a workspace, also if it removes them', async () => {
    const { ctx, owner, agent, enter, advance, person } = await opened()
    for (const name of ['one.example', 'two.example', 'three.example', 'three.example'])
      await enter(name)
    await enter('')
    await expect(enter('four.example')).rejects.toMatchObject(limited)
    const { settings } = await getChatPage(ctx, owner.workspaceId, agent.id)
    expect(settings.title).toBe('')
    const rival = await person()
    const { id } = await createAgent(ctx, rival, { name: 'Rival' })
    await enter('four.example', id, rival.workspaceId)
    advance(24 * hourMs)
    await enter('four.example')
  })

  test('are no more than the limit if they are entered at the same time', async () => {
    const { ctx, owner, enter } = await opened()
    const names = Array.from({ length: 6 }, (_, n) => `n${n}.example`)
    const agents = await Promise.all(names.map((name) => createAgent(ctx, owner, { name })))
    const entered = await Promise.allSettled(names.map((name, n) => enter(name, agents[n]?.id)))
    const refused = entered.filter((one) => one.status === 'rejected')
    expect(refused).toHaveLength(3)
    for (const { reason } of refused) expect(reason).toMatchObject(limited)
  })
})
