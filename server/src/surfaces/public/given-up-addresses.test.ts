import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { deleteWorkspace, getWorkspace, restoreWorkspace } from '#features/workspaces/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { startDnsServer, type DnsServer } from '#test/support/servers/dns-server.ts'
import { actorOf, type Person } from '#test/support/test-instance.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

describeVisitors('the addresses of a page', (open) => {
  let service: VisitorService
  let dns: DnsServer

  beforeAll(async () => {
    dns = await startDnsServer()
    service = await open({
      environment: {
        BASE_URL: 'https://parley.example',
        DNS_SERVERS: dns.address,
        VISITOR_REQUEST_LIMIT: 'unlimited',
      },
    })
  })
  afterAll(() => dns.stop())

  const call = (name: string, input: object, who: Person = service.owner) =>
    runOperation(service.ctx, actorOf(who), findOperation(name)!, input)
  const ask = async (domain: string) =>
    (await service.request(`/chat-domains/ask?domain=${domain}`)).status
  const home = async (domain: string) => (await service.request(`http://${domain}/`)).status

  async function served(domain: string, slug = '', who?: Person): Promise<string> {
    const { id } = await createAgent(service.ctx, who ?? service.owner, { name: 'Shop' })
    const page = { app_id: id, enabled: true, domain, ...(slug !== '' && { slug }) }
    const { domain_check: check } = (await call('update_chat_page', page, who)) as {
      domain_check: { txt_name: string; txt_value: string }
    }
    dns.texts.set(check.txt_name, [check.txt_value])
    service.advance(5000)
    await call('check_chat_domain', { app_id: id }, who)
    expect([await ask(domain), await home(domain)]).toEqual([200, 200])
    return id
  }

  test('that is deleted with its agent are free for another agent of the workspace at once', async () => {
    const first = await served('chat.shop.example', 'shop-help')
    await call('delete_app', { app_id: first })
    expect(await ask('chat.shop.example')).toBe(404)
    await served('chat.shop.example', 'shop-help')
    expect((await service.request('/chat/shop-help')).status).toBe(200)
  })

  test('that is deleted keep their name for the workspace, as if it had been given up', async () => {
    const first = await served('two.shop.example', 'held-name')
    await call('delete_app', { app_id: first })
    const rival = await service.person()
    const { id } = await createAgent(service.ctx, rival, { name: 'Rival' })
    const taking = { app_id: id, slug: 'held-name' }
    await expect(call('update_chat_page', taking, rival)).rejects.toMatchObject({
      code: 'invalid_input',
    })
    service.advance(30 * 86_400_000)
    await call('update_chat_page', taking, rival)
  })

  test('get no certificate while it is switched off, or its workspace is deleted, and show nothing else', async () => {
    const app_id = await served('off.shop.example')
    await call('update_chat_page', { app_id, enabled: false })
    expect([await ask('off.shop.example'), await home('off.shop.example')]).toEqual([404, 404])
    await call('update_chat_page', { app_id, enabled: true })
    expect([await ask('off.shop.example'), await home('off.shop.example')]).toEqual([200, 200])

    const other = await service.person()
    await served('gone.shop.example', '', other)
    const { name } = await getWorkspace(service.ctx.db.read, other.userId, other.workspaceId)
    await deleteWorkspace(service.ctx, other, name)
    expect([await ask('gone.shop.example'), await home('gone.shop.example')]).toEqual([404, 404])
    await restoreWorkspace(service.ctx, other.userId, other.workspaceId)
    expect(await ask('gone.shop.example')).toBe(200)
  })
})
