import { beforeAll, describe, expect, test } from 'vitest'
import { acpOpenApi } from '#surfaces/acp/open-api.ts'
import { acpRefusals } from '#surfaces/acp/fault-table.ts'
import { acpSurface } from '#surfaces/acp/index.ts'
import { chatOpenApi } from '#surfaces/chat/open-api/open-api.ts'
import { chatRefusals } from '#surfaces/chat/fault-table.ts'
import { chatSurface } from '#surfaces/chat/index.ts'
import { readChatRequest } from '#surfaces/chat/read-request.ts'
import { oauthOpenApi } from '#surfaces/oauth/open-api.ts'
import { oauthRefusals } from '#surfaces/oauth/oauth-faults.ts'
import { oauthSurface } from '#surfaces/oauth/index.ts'
import { describeChat, type ChatService } from '#test/support/chat/chat-service.ts'
import { contractOf, routesOf } from '#test/support/contract.ts'
import { authorizeFlow, redirectUri } from '#test/support/identity/oauth-flow.ts'
import { buyer, describeShop, sessionOf, strict, type Shop } from '#test/support/commerce/shop.ts'
import { describeSignIn, type SignInService } from '#test/support/identity/sign-in-service.ts'

/** Checks that the contract documents the statuses of a fault table and no others. */
function expectSameStatuses(
  documented: readonly number[],
  rows: readonly { status: number }[],
): void {
  const statuses = new Set(rows.map(({ status }) => status))
  expect([...statuses].filter((status) => !documented.includes(status))).toEqual([])
  expect(documented.filter((status) => !statuses.has(status))).toEqual([])
}

const chat = contractOf(chatOpenApi())

const limits = { maxRequestMessages: 2_000, maxRequestParts: 10_000 }

describe('a request body of the chat contract', () => {
  const messages = [{ role: 'user', content: 'Hi' }]
  const session = '0197f3f0-0000-7000-8000-000000000000'
  const tool = { type: 'function', function: { name: 'weather' } }
  const part = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }

  test.each<[string, unknown, boolean]>([
    ['the least', { model: 'a-1', messages }, true],
    ['a session', { model: 'a-1', messages, chatSessionId: session }, true],
    ['no session', { model: 'a-1', messages, chatSessionId: null, stream: null }, true],
    ['parts', { model: 'a-1', messages: [{ role: 'user', content: [part] }] }, true],
    ['unknown fields', { model: 'a-1', messages, made_up: 2 }, true],
    ['a temperature', { model: 'a-1', messages, temperature: 2 }, true],
    ['a temperature that is too high', { model: 'a-1', messages, temperature: 3 }, false],
    ['a tool', { model: 'a-1', messages, tools: [tool], tool_choice: 'required' }, true],
    ['a tool without a name', { model: 'a-1', messages, tools: [{ type: 'function' }] }, false],
    ['two answers', { model: 'a-1', messages, n: 2 }, false],
    ['JSON', { model: 'a-1', messages, response_format: { type: 'json_object' } }, true],
    ['an empty assistant message', { model: 'a-1', messages: [{ role: 'assistant' }] }, true],
    ['no model', { messages }, false],
    ['a model that is not a string', { model: 5, messages }, false],
    ['no messages', { model: 'a-1', messages: [] }, false],
    ['another role', { model: 'a-1', messages: [{ role: 'robot', content: 'x' }] }, false],
    ['no content', { model: 'a-1', messages: [{ role: 'user' }] }, false],
    ['stream as a string', { model: 'a-1', messages, stream: 'true' }, false],
    ['an invalid session id', { model: 'a-1', messages, chatSessionId: 'x' }, false],
    ['another part', { model: 'a-1', messages: [{ role: 'user', content: [{}] }] }, false],
  ])('is accepted exactly if the service accepts it: %s', (_, body, isTaken) => {
    expect(chat.takes('POST', '/api/v1/chat/completions', body)).toBe(isTaken)
    const read = () => readChatRequest(body, undefined, limits)
    if (isTaken) expect(read).not.toThrow()
    else expect(read).toThrow()
  })
})

describeChat('the chat contract', (open) => {
  let service: ChatService

  beforeAll(async () => {
    service = await open()
  })

  test('has exactly the endpoints of the surface', () => {
    expect(chat.endpoints).toEqual(routesOf(chatSurface(service.ctx), '/api/v1'))
    expectSameStatuses(chat.refusals, chatRefusals)
  })

  test('documents what only some answers have', async () => {
    const scripts = [
      { reply: '', toolCalls: [{ name: 'weather', arguments: { place: 'Bern' } }] },
      { reply: 'Four.', reasoning: 'Two and two.' },
      { reply: 'Hello', usage: { prompt: 9, completion: 5, cached: 4 } },
    ]
    const { say } = await open({ model: { script: (_, n) => scripts[n]! } })
    const tools = [{ type: 'function', function: { name: 'weather' } }]
    for (const field of ['tool_calls', 'reasoning_content', 'prompt_tokens_details']) {
      const answer = say('Hello', { tools })
      const path = '/api/v1/chat/completions'
      const response = await chat.expectDocumented('POST', path, answer)
      expect(await response.text()).toContain(`"${field}":`)
      expect(JSON.stringify(chatOpenApi())).toContain(`"${field}":`)
    }
  })

  test('documents every response', async () => {
    const completions = '/api/v1/chat/completions'
    const documented = (answer: Promise<Response>) =>
      chat.expectDocumented('POST', completions, answer)
    expect((await documented(service.say('Hello'))).status).toBe(200)
    expect((await documented(service.say('Hello', { stream: true }))).status).toBe(200)
    expect((await documented(service.say('Hello', { model: 'nobody-1' }))).status).toBe(404)
    expect((await documented(service.post({}, { authorization: '' }))).status).toBe(401)
    expect((await documented(service.post({}))).status).toBe(400)
    expect((await documented(service.post({}, { 'content-type': 'text/plain' }))).status).toBe(415)
    const headers = { authorization: `Bearer ${service.key}` }
    const get = async (path: string, sent = headers) =>
      await service.app.request(`/api/v1${path}`, { headers: sent })
    const { app_name_id: name } = service.agent
    await chat.expectDocumented('GET', '/api/v1/models', get('/models'))
    await chat.expectDocumented('GET', '/api/v1/models/{id}', get(`/models/${name}`))
    await chat.expectDocumented('GET', '/api/v1/models/{id}', get('/models/nobody-1'))
  })
})

const oauth = contractOf(oauthOpenApi())

describeSignIn('the contract of the authorization server', (open) => {
  let service: SignInService

  beforeAll(async () => {
    service = await open()
  })

  test('has exactly the endpoints of the surface', () => {
    expect(oauth.endpoints).toEqual(routesOf(oauthSurface(service.ctx)))
    const posted = [400, 401, 405, 413, 415, 429, 500, 503]
    expect(oauth.refusals.toSorted()).toEqual(posted)
    // The other statuses of the table: pages return 403 and 409, and no path is documented for 404.
    expectSameStatuses([...oauth.refusals, 403, 404, 409], oauthRefusals)
  })

  test('documents every response', async () => {
    const documented = (path: string, body: unknown, headers = {}) =>
      oauth.expectDocumented('POST', path, service.post(path, body, headers))
    const flow = await authorizeFlow(service, { ...service.ada, name: 'Ada' })
    const exchange = {
      grant_type: 'authorization_code',
      code: flow.code,
      redirect_uri: redirectUri,
      client_id: flow.clientId,
      code_verifier: flow.pkce.verifier,
    }
    const pair = await documented('/mcp/oauth/token', exchange)
    expect(pair.status).toBe(200)
    const { refresh_token: token } = (await pair.json()) as { refresh_token: string }
    expect(oauth.takes('POST', '/mcp/oauth/token', exchange)).toBe(true)
    expect(oauth.takes('POST', '/mcp/oauth/token', { grant_type: 'password' })).toBe(false)
    const again = { grant_type: 'refresh_token', refresh_token: token, client_id: flow.clientId }
    expect((await documented('/token', again)).status).toBe(200)
    expect((await documented('/token', exchange)).status).toBe(400)
    expect((await documented('/token', { ...again, client_id: 'nobody' })).status).toBe(401)
    expect((await documented('/mcp/oauth/revoke', { token })).status).toBe(200)
    const client = { redirect_uris: ['http://localhost:1/cb'], client_name: 'X' }
    expect((await documented('/register', client)).status).toBe(201)
    expect((await documented('/mcp/oauth/register', { redirect_uris: [] })).status).toBe(400)
    for (const path of oauth.endpoints.filter((name) => name.startsWith('GET /.well-known'))) {
      const address = path.slice('GET '.length)
      await oauth.expectDocumented('GET', address, Promise.resolve(service.app.request(address)))
    }
  })
})

const acp = contractOf(acpOpenApi())

describeShop('the contract of agentic commerce', (open) => {
  let shop: Shop

  beforeAll(async () => {
    shop = await open()
  })

  test('has exactly the endpoints of the surface', () => {
    const routes = routesOf(acpSurface(shop.ctx)).map((route) => route.replace('/v1/', '/'))
    expect(acp.endpoints).toEqual([...new Set(routes)].toSorted())
    expectSameStatuses(acp.refusals, acpRefusals)
  })

  test('documents the public responses', async () => {
    await shop.product({ sku: 'a', images: ['https://example.com/a.png'], categories: ['Tea'] })
    for (const [, path = ''] of acp.endpoints.map((name) => name.split(' ')))
      for (const missing of [false, true]) {
        if (!/products|feed|well-known/.test(path)) continue
        const agent = missing ? 'nobody-1' : shop.agent.id
        const answer = shop.app.request(path.replace('{appId}', agent))
        await acp.expectDocumented('GET', path, Promise.resolve(answer))
      }
  })

  test.each(['plain', 'strict'])('documents every response of a lifecycle, %s', async (dialect) => {
    const sessions = '/acp/{appId}/checkout_sessions'
    const sent = () => (dialect === 'strict' ? strict() : {})
    const product = await shop.product()
    const body =
      dialect === 'strict'
        ? { currency: 'usd', capabilities: {}, line_items: [{ id: product.id }] }
        : { line_items: [{ product_id: product.id, quantity: 1 }] }
    expect(acp.takes('POST', sessions, body)).toBe(true)
    const post = async (path: string, template: string, payload: object, headers = sent()) =>
      await acp.expectDocumented(
        'POST',
        `${sessions}${template}`,
        shop.post(`/checkout_sessions${path}`, payload, headers),
      )
    const created = await post('', '', body)
    expect(created.status).toBe(201)
    const { id } = await sessionOf(created)
    await acp.expectDocumented(
      'GET',
      `${sessions}/{id}`,
      shop.get(`/checkout_sessions/${id}`, sent()),
    )
    expect((await post(`/${id}`, '/{id}', { buyer })).status).toBe(200)
    const payment = { instrument: { type: 'card', credential: { type: 'spt', token: 'spt_test' } } }
    const paid = await post(`/${id}/complete`, '/{id}/complete', { payment_data: payment })
    expect(paid.status).toBe(200)
    const { order } = await sessionOf(paid)
    const orders = '/acp/{appId}/orders/{id}'
    await acp.expectDocumented('GET', orders, shop.get(`/orders/${order?.id}`, sent()))
    await acp.expectDocumented('GET', orders, shop.get('/orders/none', sent()))
    const statuses = [
      (await post('', '', {})).status,
      (await post(`/${id}`, '/{id}', {})).status,
      (await post(`/${id}/cancel`, '/{id}/cancel', {})).status,
      (await post('/none', '/{id}', {})).status,
      (await post('', '', {}, { 'content-type': 'text/plain', ...sent() })).status,
      (await post('', '', {}, { authorization: 'Bearer x' })).status,
      (await post('', '', {}, { 'api-version': '1' })).status,
    ]
    expect(statuses).toEqual([400, 409, 405, 404, 415, 401, 400])
    const key = strict('once')
    await post('', '', { ...body, currency: 'usd', capabilities: {} }, key)
    expect((await post('', '', { order_notes: 'x' }, key)).status).toBe(422)
  })
})
