import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { exportJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createAction } from '#features/actions/index.ts'
import { updateAgent } from '#features/agents/index.ts'
import { exportConversations } from '#features/conversations/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { startServer, type ModelServer } from '#test/support/servers/model-server.ts'
import { actorOf } from '#test/support/test-instance.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

const site = 'https://shop.example'
const claims = { sub: 'customer-42', name: 'Grace', email: 'grace@example.com', plan: 'gold' }

describeVisitors('a visitor whom the host identifies', (open) => {
  let service: VisitorService
  let host: ModelServer
  let path: string
  let secret: string
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  beforeAll(async () => {
    const keys = [
      { ...(await exportJWK(rsa.publicKey)), kid: 'r', alg: 'RS256' },
      { ...(await exportJWK(ec.publicKey)), kid: 'e', alg: 'ES256' },
    ]
    host = await startServer((response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ keys }))
    })
    const listing = { reply: '', toolCalls: [{ name: 'orders', arguments: {} }] }
    service = await open({
      model: {
        script: ({ body }) =>
          JSON.stringify(body.messages).endsWith('"List my orders"}]')
            ? listing
            : { reply: 'Well.' },
      },
      environment: { OUTBOUND_ALLOW_PRIVATE: new URL(host.origin).host },
      page: { widget_origins: [site] },
    })
    const { widget_key } = await call('get_chat_page', {})
    path = `/chat/widget/${String(widget_key)}/visit`
    secret = String((await call('rotate_identity_secret', {})).secret)
    await service.change({ identity_jwks_url: `${host.origin}/keys` })
  })
  afterAll(() => host.stop())

  const call = (name: string, input: object) =>
    runOperation(service.ctx, actorOf(service.owner), findOperation(name)!, {
      app_id: service.agent.id,
      ...input,
    })
  const sign = (given: object = {}, key: KeyObject | string = secret, header: object = {}) => {
    const { exp, ...rest } = { exp: Math.floor(service.ctx.clock.now() / 1000) + 300, ...given }
    return new SignJWT({ ...claims, ...rest, ...(exp === null ? {} : { exp }) })
      .setProtectedHeader({ alg: 'HS256', ...header })
      .sign(typeof key === 'string' ? new TextEncoder().encode(key) : key)
  }
  const enter = (body: object) =>
    service.request(path, {
      method: 'POST',
      headers: { origin: site, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const begin = async (body: object = {}) =>
    (await (await enter(body)).json()) as { token: string; browser: string }
  const conversations = async (token: string) => {
    const { items } = (await (await service.ask(token, '/conversations')).json()) as {
      items: { id: string }[]
    }
    return items.map(({ id }) => id)
  }

  /** What the export has of an end user. */
  const exportedOf = async (endUser: string) => {
    const { workspaceId } = service.owner
    const wanted = { appId: service.agent.id, format: 'jsonl' } as const
    let text = ''
    for await (const piece of await exportConversations(service.ctx, workspaceId, wanted))
      text += piece
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { end_user: string; content: string })
      .filter(({ end_user }) => end_user === endUser)
      .map(({ content }) => content)
  }

  test('is one person with one history in every browser, with what was asked before', async () => {
    const { token, browser } = await begin()
    const [before] = await service.say(token, 'Where is my order?')
    const first = await begin({ browser, identity: await sign() })
    const [after] = await service.say(first.token, 'And my invoice?')
    const wanted = [after?.conversation_id, before?.conversation_id].toSorted()
    expect((await conversations(first.token)).toSorted()).toEqual(wanted)
    const second = await begin({ identity: await sign() })
    expect((await conversations(second.token)).toSorted()).toEqual(wanted)
    // What the browser keeps is nobody's: the next person there finds nothing.
    const next = await begin({ browser: first.browser })
    expect(await conversations(next.token)).toEqual([])
    const other = await begin({ browser: first.browser, identity: await sign({ sub: 'other' }) })
    expect(await conversations(other.token)).toEqual([])
    // A visitor who has copied the token of the browser from before does not get them either.
    expect(await conversations((await begin({ browser })).token)).toEqual([])
  })

  test('is listed, exported and erased as one end user', async () => {
    const { token, browser } = await begin()
    await service.say(token, 'A question before')
    const known = await begin({ browser, identity: await sign({ sub: 'to-erase' }) })
    await service.say(known.token, 'A question after')
    const other = await begin({ identity: await sign({ sub: 'somebody-else' }) })
    await service.say(other.token, 'A question of somebody else')
    const listed = await call('list_conversations', { end_user: 'to-erase' })
    expect(listed.items).toHaveLength(2)
    const spoken = ['A question before', 'Well.', 'A question after', 'Well.']
    expect(await exportedOf('to-erase')).toEqual(spoken)
    const entries = () =>
      service.ctx.db.read
        .selectFrom('credit_entries')
        .select('end_user')
        .where('end_user', 'like', 'visitor:%')
        .execute()
    expect(await entries()).toEqual([])
    expect(await call('erase_end_user', { end_user: 'to-erase' })).toMatchObject({
      conversations: 2,
    })
    expect(await conversations(known.token)).toEqual([])
    expect(await exportedOf('to-erase')).toEqual([])
    expect(await exportedOf('somebody-else')).toHaveLength(2)
  })

  test.each(['RS256', 'ES256'])('is identified by %s with the keys of the host', async (alg) => {
    const [key, kid] = alg === 'RS256' ? [rsa.privateKey, 'r'] : [ec.privateKey, 'e']
    const aud = service.agent.appNameId
    const good = await enter({ identity: await sign({ aud }, key, { alg, kid }) })
    expect(good.status).toBe(200)
    const forAnother = await sign({ aud: 'another-program' }, key, { alg, kid })
    expect((await enter({ identity: forAnother })).status).toBe(401)
  })

  test('is refused with keys at a private address that the operator does not allow', async () => {
    await service.change({ identity_jwks_url: 'https://127.0.0.1:9/keys' })
    const aud = service.agent.appNameId
    const identity = await sign({ aud }, rsa.privateKey, { alg: 'RS256', kid: 'r' })
    expect((await enter({ identity })).status).toBe(401)
    await service.change({ identity_jwks_url: `${host.origin}/keys` })
  })

  test('is known to prompts and actions by verified claims, and by no others', async () => {
    const system_prompt = 'You help {{user.name}} ({{ user.plan }}) {{user.constructor}}.'
    await updateAgent(service.ctx, service.owner, service.agent.id, { system_prompt })
    const promptOf = async (token: string) => {
      const count = service.model.requests.length
      await service.say(token, 'Hello?')
      const { messages } = (await service.model.request(count)).body as {
        messages: { content: string }[]
      }
      return messages[0]?.content
    }
    const known = await begin({ identity: await sign() })
    expect(await promptOf(known.token)).toBe('You help Grace (gold) .')
    // Claims that the page itself sends are not read.
    const stranger = await begin({ user: claims, name: 'Mallory' })
    expect(await promptOf(stranger.token)).toBe('You help  () .')

    await createAction(service.ctx, service.owner.workspaceId, service.agent.id, {
      name: 'orders',
      description: 'Lists the orders',
      method: 'GET',
      url: `${host.origin}/orders/{{user.id}}`,
      headers: { 'x-plan': '{{user.plan}}' },
    })
    const calls = () => host.requests.filter(({ path }) => path.startsWith('/orders'))
    await service.say(stranger.token, 'List my orders')
    expect(calls()).toEqual([])
    await service.say(known.token, 'List my orders')
    expect(calls()).toMatchObject([{ path: '/orders/customer-42', headers: { 'x-plan': 'gold' } }])
  })

  test('never chooses the host of an action', async () => {
    const { workspaceId } = service.owner
    const create = (name: string, url: string) =>
      createAction(service.ctx, workspaceId, service.agent.id, {
        name,
        description: 'a',
        method: 'GET',
        url,
      })
    for (const url of [
      'https://{{user.site}}/x',
      '{{var.BASE}}{{user.site}}/x',
      '{{ var.BASE }}.{{ user.site }}/x',
    ])
      await expect(create('a', url)).rejects.toMatchObject({ code: 'action_invalid' })
    await create('b', '{{var.BASE}}.example.com/{{user.site}}')
  })

  test('has no claims that are empty', async () => {
    const { token } = await begin({ identity: await sign({ plan: '', name: '  ' }) })
    const { user } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
    expect(user).toEqual({ id: 'customer-42', email: 'grace@example.com' })
  })

  test('has keys behind https, unless the operator lists their host', async () => {
    const plain = { identity_jwks_url: 'http://keys.example/keys' }
    await expect(call('update_chat_page', plain)).rejects.toMatchObject({ code: 'invalid_input' })
    await call('update_chat_page', { identity_jwks_url: `${host.origin}/keys` })
  })

  test('leaves no claims of a refused token in the log', async () => {
    const logged = vi.spyOn(service.ctx.log, 'info')
    const identity = await sign({ aud: 'another-program' }, rsa.privateKey, {
      alg: 'RS256',
      kid: 'r',
    })
    expect((await enter({ identity })).status).toBe(401)
    const refusal = logged.mock.calls.find(([, text]) => String(text).includes('identity'))
    logged.mockRestore()
    expect(refusal?.[0]).toEqual({
      agentId: service.agent.id,
      code: 'ERR_JWT_CLAIM_VALIDATION_FAILED',
      claim: 'aud',
      reason: 'check_failed',
    })
  })
})
