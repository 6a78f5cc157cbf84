import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createOutbound, type Outbound } from '#platform/outbound-http/outbound.ts'
import { describeInstance, type TestInstance } from '#test/support/test-instance.ts'
import { grantFlow, refusal } from '#test/support/identity/oauth-flow.ts'
import { refreshTokens, requireRedirect } from './index.ts'

const id = 'https://client.example/metadata.json'
const redirectUri = 'http://localhost:3118/callback'

describeInstance('a client known by the address of its metadata', (open) => {
  let instance: TestInstance
  let server: Server
  let answer: { status: number; body: string; headers?: Record<string, string> }
  let visits = 0

  beforeAll(async () => {
    server = createServer((_, response) => {
      visits += 1
      response.writeHead(answer.status, answer.headers).end(answer.body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    instance = await open({ BASE_URL: 'https://parley.example', OAUTH_CLIENT_DOCUMENTS: 'true' })
  })
  beforeEach(() => {
    visits = 0
    answer = { status: 200, body: JSON.stringify(document()) }
  })
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve))
  })

  const document = (more = {}) => ({
    client_id: id,
    client_name: 'A documented client',
    redirect_uris: ['http://localhost/callback'],
    ...more,
  })

  /** Certificates aside, the way out is the real one: https is checked, then spoken as http here. */
  const context = () => {
    const { port } = server.address() as AddressInfo // a TCP socket
    const real = createOutbound({ allowPrivate: [`127.0.0.1:${port}`] })
    const outbound: Outbound = {
      ...real,
      request(url, request = {}) {
        const { httpsOnly, ...rest } = request
        expect(httpsOnly).toBe(true)
        const there = String(url).replace('https://client.example', `http://127.0.0.1:${port}`)
        return real.request(there, rest)
      },
    }
    return { ...instance.ctx, outbound }
  }
  const find = (clientId = id, from = context()) => requireRedirect(from, { clientId, redirectUri })

  test('is fetched once and used for an hour', async () => {
    expect(await find()).toEqual({
      id,
      kind: 'document',
      name: 'A documented client',
      redirectUris: ['http://localhost/callback'],
    })
    await find()
    expect(visits).toBe(1)
    instance.advance(60 * 60_000)
    const many = await Promise.all(Array.from({ length: 5 }, () => find()))
    expect(new Set(many.map(({ name }) => name))).toEqual(new Set(['A documented client']))
    visits = 1
    instance.advance(60 * 60_000)
    answer = {
      status: 200,
      body: JSON.stringify(document({ redirect_uris: ['https://a.example/'] })),
    }
    await expect(find()).rejects.toMatchObject(refusal('redirect_unregistered'))
    expect(visits).toBe(1 + 1)
  })

  test('can still refresh when its document cannot be fetched, so that no person is signed out', async () => {
    instance.advance(2 * 60 * 60_000)
    const there = { ...instance, ctx: context() }
    const tokens = await grantFlow(there, await instance.person(), { clientId: id })
    instance.advance(2 * 60 * 60_000)
    visits = 0
    answer = { status: 500, body: '' }
    const input = { clientId: id, scope: undefined, resources: [] }
    const next = await refreshTokens(there.ctx, { ...input, refreshToken: tokens.refreshToken })
    expect(visits).toBe(0)
    // The operator's switch holds for those that were let in before, too.
    const config = { ...instance.ctx.config, oauthClientDocuments: false }
    const off = refreshTokens(
      { ...there.ctx, config },
      { ...input, refreshToken: next.refreshToken },
    )
    await expect(off).rejects.toMatchObject(refusal('client_unknown'))
  })

  test('SSRF: the token endpoint does not fetch an address that a stranger names', async () => {
    const input = { scope: undefined, resources: [], refreshToken: 'svc_rt_none' }
    const asked = refreshTokens(context(), { ...input, clientId: 'https://client.example/other' })
    await expect(asked).rejects.toMatchObject(refusal('client_unknown'))
    expect(visits).toBe(0)
  })

  test('is unknown while the operator has this turned off, even if it was fetched before', async () => {
    instance.advance(2 * 60 * 60_000)
    await find()
    const config = { ...instance.ctx.config, oauthClientDocuments: false }
    await expect(find(id, { ...context(), config })).rejects.toMatchObject(
      refusal('client_unknown'),
    )
  })

  test.each<[string, Partial<{ status: number; body: string; headers: Record<string, string> }>]>([
    [
      'another client’s id',
      { body: JSON.stringify(document({ client_id: 'https://b.example/' })) },
    ],
    ['no JSON', { body: '<html>' }],
    ['null', { body: 'null' }],
    ['no redirect address', { body: JSON.stringify(document({ redirect_uris: [] })) }],
    [
      'a redirect address that is a script',
      { body: JSON.stringify(document({ redirect_uris: ['javascript:alert(1)'] })) },
    ],
    ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
    ['an error', { status: 500 }],
    ['more than 10 KiB', { body: JSON.stringify(document({ x: 'x'.repeat(11_000) })) }],
  ])('is refused alike for %s, and nothing is kept', async (_, wrong) => {
    answer = { ...answer, ...wrong }
    const other = `https://client.example/${encodeURIComponent(JSON.stringify(wrong)).slice(0, 40)}`
    await expect(find(other)).rejects.toMatchObject(refusal('client_unknown'))
    const row = await instance.ctx.db.read
      .selectFrom('oauth_clients')
      .select('id')
      .where('id', '=', other)
      .executeTakeFirst()
    expect(row).toBeUndefined()
  })

  test.each([
    'https://client.example/',
    'https://client.example',
    'https://client.example/a/../b',
    'https://user@client.example/c',
    'https://client.example/c#f',
    'https://CLIENT.example/c',
    `https://client.example/${'c'.repeat(2000)}`,
  ])('is refused at the address %s without a visit', async (address) => {
    await expect(find(address)).rejects.toMatchObject(refusal('client_unknown'))
    expect(visits).toBe(0)
  })

  test.each([
    'https://127.0.0.1/c',
    'https://localhost/c',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/c',
    'https://2130706433/c',
    'https://10.0.0.1/c',
  ])('SSRF: %s is not dialled, and looks like any other unknown client', async (address) => {
    await expect(find(address, instance.ctx as ReturnType<typeof context>)).rejects.toMatchObject(
      refusal('client_unknown'),
    )
  })
})
