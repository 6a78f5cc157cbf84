import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startDnsServer, type DnsServer } from '#test/support/servers/dns-server.ts'
import { appOf } from '#test/support/identity/sign-in-service.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'
import { updateChatPage } from './chat-page.ts'
import { checkDomainNow } from './check-domain.ts'
import { pagesOfDomain, provenDomains } from './domain-store.ts'

const domain = 'chat.shop.example'

describeVisitors('the domains that a process knows', (open) => {
  let service: VisitorService
  let dns: DnsServer

  beforeAll(async () => {
    dns = await startDnsServer()
    service = await open({
      environment: { BASE_URL: 'https://parley.example', DNS_SERVERS: dns.address },
    })
  })
  afterAll(() => dns.stop())

  test('are read once in some seconds, however many hosts are invented', async () => {
    const prepared = vi.spyOn(service.ctx.db, 'prepared')
    const reads = (query: unknown) => prepared.mock.calls.filter(([used]) => used === query).length
    const invented = async () => {
      const hosts = Array.from({ length: 50 }, (_, n) => `h${n}.invented.example`)
      const paths = hosts.map((host) => `http://${host}/healthz`)
      const answers = await Promise.all(paths.map((path) => service.request(path)))
      expect(answers.every(({ status }) => status === 200)).toBe(true)
    }
    await invented()
    await invented()
    expect(reads(provenDomains)).toBe(1)
    service.advance(3000)
    await invented()
    expect(reads(provenDomains)).toBe(2)
    expect(reads(pagesOfDomain)).toBe(0)
    prepared.mockRestore()
  })

  test('contain within seconds one that another process has proven', async () => {
    const { ctx, owner, agent, path } = service
    const processes = [appOf(service), appOf(service)]
    const loginAt = async (host: string) =>
      await Promise.all(
        processes.map(async (app) => (await app.request(`http://${host}/login`)).status),
      )
    expect(await loginAt(domain)).toEqual([200, 200])
    const page = await updateChatPage(ctx, owner.workspaceId, agent.id, { domain })
    const { name, value } = page.domain!.proof
    dns.texts.set(name, [value])
    service.advance(5000)
    await loginAt('renews.example')
    const checked = await checkDomainNow(ctx, owner.workspaceId, agent.id)
    expect(checked.domain?.state).toBe('served')
    service.advance(3000)
    expect(await loginAt(domain)).toEqual([404, 404])
    for (const app of processes)
      expect(await (await app.request(`http://${domain}/`)).text()).toContain(`"base":"${path}"`)
    // A domain that is known is looked up with every request, so that it ends at once.
    await updateChatPage(ctx, owner.workspaceId, agent.id, { domain: '' })
    expect(await loginAt(domain)).toEqual([200, 200])
  })
})
