import { SignJWT } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { pruneEndedRecords } from '#features/pruning/index.ts'
import { getChatPage, rotateIdentitySecret } from '#features/visitors/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { actorOf } from '#test/support/test-instance.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

const site = 'https://shop.example'
const run = { id: 'x', attempt: 1, isLast: false, signal: new AbortController().signal }

interface Begun {
  readonly token: string
  readonly browser: string
  readonly continues: boolean
}

describeVisitors('a visitor who is identified while another window is open', (open) => {
  let service: VisitorService
  let secret: string
  let path: string
  let held: PromiseWithResolvers<void>

  beforeAll(async () => {
    held = Promise.withResolvers()
    service = await open({
      model: {
        script: ({ body }) =>
          JSON.stringify(body.messages).endsWith('"Slowly"}]')
            ? { reply: 'Late.', after: held.promise }
            : { reply: 'Well.' },
      },
      page: { widget_origins: [site] },
    })
    const { ctx, owner, agent } = service
    const { widgetKey } = await getChatPage(ctx, owner.workspaceId, agent.id)
    path = `/chat/widget/${widgetKey}/visit`
    ;({ secret } = await rotateIdentitySecret(ctx, owner.workspaceId, agent.id))
  })

  const call = (name: string, input: object) =>
    runOperation(service.ctx, actorOf(service.owner), findOperation(name)!, {
      app_id: service.agent.id,
      ...input,
    })
  const identityOf = (sub: string) =>
    new SignJWT({ sub })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(Math.floor(service.ctx.clock.now() / 1000) + 3600)
      .sign(new TextEncoder().encode(secret))
  const begin = async (body: object = {}) => {
    const begun = await service.request(path, {
      method: 'POST',
      headers: { origin: site, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(begun.status).toBe(200)
    return (await begun.json()) as Begun
  }
  const conversationsOf = async (endUser: string) => {
    const { items } = await call('list_conversations', { end_user: endUser })
    return (items as readonly unknown[]).length
  }
  const rowsOfVisitors = async () => {
    const { read } = service.ctx.db
    const sessions = read.selectFrom('chat_sessions').select('end_user')
    const entries = read.selectFrom('credit_entries').select('end_user')
    const found = await Promise.all([
      sessions.where('end_user', 'like', 'visitor:%').execute(),
      entries.where('end_user', 'like', 'visitor:%').execute(),
    ])
    return found.flat()
  }
  const joined = () => service.ctx.db.read.selectFrom('joined_visitors').selectAll().execute()

  test('has all conversations as the person, also one that is answered meanwhile', async () => {
    const { token, browser } = await begin()
    await service.say(token, 'hello')
    const asked = service.model.requests.length
    const slow = service.say(token, 'Slowly')
    await service.model.request(asked)
    const known = await begin({ browser, identity: await identityOf('grace') })
    // The answer in the other window is complete, and the person's.
    held.resolve()
    expect((await slow).at(-1)).toMatchObject({ type: 'done' })
    expect(await conversationsOf('grace')).toBe(2)
    expect(await rowsOfVisitors()).toEqual([])

    // The anonymous visit has ended: the other window begins another one, as the host identifies it.
    const again = await service.ask(token, '/messages', { text: 'hello' })
    expect([again.status, await again.json()]).toEqual([401, { error: { code: 'visit_ended' } }])
    expect((await service.ask(token, '/visit', {})).status).toBe(401)
    expect((await service.ask(known.token, '/conversations')).status).toBe(200)
  })

  test('has one history, also in a browser that has kept the anonymous visitor', async () => {
    const { token, browser } = await begin()
    await service.say(token, 'hello')
    await begin({ browser, identity: await identityOf('ada') })
    const same = await begin({ browser, identity: await identityOf('ada') })
    expect(same.continues).toBe(true)
    // Without an identity it is a visitor of its own, whose visit does not end again.
    const other = await begin({ browser })
    expect(other.continues).toBe(false)
    await service.say(other.token, 'hello')
    expect((await service.ask(other.token, '/visit', {})).status).toBe(200)
    expect(await conversationsOf('ada')).toBe(1)
  })

  test('is forgotten with the person, and after the last visit', async () => {
    for (const sub of ['to-erase', 'to-end']) {
      const { token, browser } = await begin()
      await service.say(token, 'hello')
      await begin({ browser, identity: await identityOf(sub) })
    }
    const people = async () => (await joined()).map(({ end_user: endUser }) => endUser)
    expect(await people()).toEqual(expect.arrayContaining(['to-erase', 'to-end']))
    await call('erase_end_user', { end_user: 'to-erase' })
    expect(await people()).not.toContain('to-erase')
    service.advance(dayMs + 3_600_001)
    const { token, browser } = await begin()
    await service.say(token, 'hello')
    await begin({ browser, identity: await identityOf('later') })
    expect(await people()).toContain('to-end')
    await pruneEndedRecords.run(service.ctx, {}, run)
    expect(await people()).toEqual(['later'])
  })
})
