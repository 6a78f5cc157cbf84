import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { actorOf, type Person } from '#test/support/test-instance.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

describeVisitors('the name of a chat page in its address', (open) => {
  let service: VisitorService
  /** Of another workspace. */
  let rival: Person & { readonly appId: string }

  beforeAll(async () => {
    service = await open({ environment: { BASE_URL: 'https://parley.example', SLUGS_HELD: '3' } })
    const person = await service.person()
    const { id } = await createAgent(service.ctx, person, { name: 'Rival' })
    rival = { ...person, appId: id }
  })
  beforeEach(async () => {
    for (const who of [undefined, rival]) await call('update_chat_page', { slug: '' }, who)
  })

  const call = (name: string, input: object, who?: Person & { readonly appId: string }) => {
    const { ctx, owner, agent } = service
    const given = { app_id: who?.appId ?? agent.id, ...input }
    return runOperation(ctx, actorOf(who ?? owner), findOperation(name)!, given)
  }
  const refusal = (input: object, who?: typeof rival) =>
    expect(call('update_chat_page', input, who)).rejects.toMatchObject({ code: 'invalid_input' })

  test('a slug is the name of a page in its address, and its id leads there with what the browser remembers', async () => {
    const before = await service.visit()
    const { url } = await call('update_chat_page', { slug: 'acme-help' })
    expect(url).toBe('https://parley.example/chat/acme-help')
    const led = await service.request(`${service.path}?k=1`, { headers: { cookie: before.cookie } })
    expect([led.status, led.headers.get('location')]).toEqual([302, '/chat/acme-help?k=1'])
    const [moved = '', removed = ''] = led.headers.getSetCookie()
    expect(moved).toMatch(/^parley_visitor=[^;]+;.*Path=\/chat\/acme-help;/)
    expect(removed).toContain(`Max-Age=0; Path=${service.path}`)
    const page = await service.request('/chat/acme-help', {
      headers: { cookie: moved.split(';')[0] ?? '' },
    })
    expect(page.headers.getSetCookie().join()).toContain('Path=/chat/acme-help')
    const token = /"token":"([^"]+)"/.exec(await page.text())?.[1] ?? ''
    const visitorOf = (given: string) =>
      (
        JSON.parse(Buffer.from(given.split('.')[0] ?? '', 'base64url').toString()) as {
          visitor: string
        }
      ).visitor // prettier-ignore
    expect(visitorOf(token)).toBe(visitorOf(before.token))
    expect((await service.say(token, 'hello'))[0]?.type).toBe('start')
    await call('update_chat_page', { slug: '' })
    expect((await service.request('/chat/acme-help')).status).toBe(404)
    expect((await service.request(service.path)).status).toBe(200)
  })

  test.each(['members', 'link'])(
    'the slug of a page for %s is not revealed to who knows its id and may not open it',
    async (access) => {
      await call('update_chat_page', { slug: 'merger-plans', access })
      for (const path of [service.path, `${service.path}/enter`, `/login${service.path}`]) {
        const answer = await service.request(path)
        const seen = [await answer.text(), ...answer.headers.values()].join('\n')
        expect(seen).not.toContain('merger-plans')
      }
      await call('update_chat_page', { access: 'public' })
      expect((await service.request(service.path)).headers.get('location')).toBe(
        '/chat/merger-plans',
      )
    },
  )

  test.each([
    'ab',
    'Acme',
    'acme_help',
    '-acme',
    'acme--help',
    'acme/../x',
    '<script>alert(1)</script>',
    'widget',
    'admin',
    'login',
    'shop-assistant-10001',
    'acme-2',
  ])('%s is refused as a slug', (slug) => refusal({ slug }))

  test('a slug belongs to one page of the instance, and never stands for the id of an agent', async () => {
    await call('update_chat_page', { slug: 'acme-help' })
    await refusal({ slug: 'acme-help' }, rival)
    await refusal({ slug: service.agent.appNameId }, rival)
    await call('update_chat_page', { slug: 'acme-help' })
  })

  test('a slug that was given up is held for its workspace for thirty days', async () => {
    await call('update_chat_page', { slug: 'acme-desk' })
    await call('update_chat_page', { slug: 'other-name' })
    service.advance(29 * dayMs)
    await refusal({ slug: 'acme-desk' }, rival)
    await call('update_chat_page', { slug: 'acme-desk' })
    await call('update_chat_page', { slug: '' })
    service.advance(29 * dayMs)
    await refusal({ slug: 'acme-desk' }, rival)
    service.advance(dayMs)
    await call('update_chat_page', { slug: 'acme-desk' }, rival)
    await refusal({ slug: 'acme-desk' })
  })

  test('a workspace holds its newest names only, so that nobody reserves names without end', async () => {
    for (const slug of ['one-name', 'two-name', 'three-name', 'four-name', '']) {
      await call('update_chat_page', { slug })
      service.advance(1000)
    }
    for (const slug of ['two-name', 'three-name', 'four-name']) await refusal({ slug }, rival)
    await call('update_chat_page', { slug: 'one-name' }, rival)
    const { ctx, owner } = service
    const held = ctx.db.read.selectFrom('held_slugs').select('slug')
    const rows = await held.where('workspace_id', '=', owner.workspaceId).execute()
    expect(rows).toHaveLength(3)
  })

  test('of a slug that is given up and taken at the same time, its workspace remains the holder', async () => {
    await call('update_chat_page', { slug: 'in-a-hurry' })
    const [, taken] = await Promise.allSettled([
      call('update_chat_page', { slug: '' }),
      call('update_chat_page', { slug: 'in-a-hurry' }, rival),
    ])
    expect(taken.status).toBe('rejected')
    await call('update_chat_page', { slug: 'in-a-hurry' })
  })

  test('of two that take a slug at the same time, one gets it', async () => {
    const taken = await Promise.allSettled([
      call('update_chat_page', { slug: 'at-once' }),
      call('update_chat_page', { slug: 'at-once' }, rival),
    ])
    expect(taken.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })
})
