import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { exportJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import { startServer, type ModelServer } from '#test/support/servers/model-server.ts'
import { actorOf } from '#test/support/test-instance.ts'
import { describeVisitors, type VisitorService } from '#test/support/chat/visitor-service.ts'

const site = 'https://shop.example'
const claims = { sub: 'customer-42', name: 'Grace' }

describeVisitors('an identity by a forged token', (open) => {
  let service: VisitorService
  let host: ModelServer
  let path: string
  let secret: string
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

  beforeAll(async () => {
    const keys = [{ ...(await exportJWK(rsa.publicKey)), kid: 'r', alg: 'RS256' }]
    host = await startServer((response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ keys }))
    })
    service = await open({
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
  const seconds = () => Math.floor(service.ctx.clock.now() / 1000)
  const sign = (given: object = {}, key: KeyObject | string = secret, header: object = {}) => {
    const { exp, ...rest } = { exp: seconds() + 300, ...given }
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

  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const soon = () => ({ ...claims, exp: seconds() + 300 })
  const forged: Record<string, () => Promise<string> | string> = {
    'no signature': () => `${part({ alg: 'none' })}.${part(soon())}.`,
    'a signature of nothing': () => `${part({ alg: 'none' })}.${part(soon())}.AAAA`,
    'another secret': () => sign({}, 'another secret, as long as the right one is'),
    'no algorithm in other letters': () => `${part({ alg: 'nOnE' })}.${part(soon())}.AAAA`,
    'the secret of another agent': async () => {
      const { id } = await createAgent(service.ctx, service.owner, { name: 'Other' })
      return sign({}, String((await call('rotate_identity_secret', { app_id: id })).secret))
    },
    'an empty secret': () => {
      const text = `${part({ alg: 'HS256' })}.${part(soon())}`
      return `${text}.${createHmac('sha256', '').update(text).digest('base64url')}`
    },
    'the public key as the secret': () => {
      const pem = String(rsa.publicKey.export({ type: 'spki', format: 'pem' }))
      return sign({ aud: service.agent.appNameId }, pem, { kid: 'r' })
    },
    'the published key as the secret': async () =>
      sign({}, JSON.stringify(await exportJWK(rsa.publicKey)), { kid: 'r' }),
    'another key with the same id': () => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      return sign({ aud: service.agent.appNameId }, privateKey, { alg: 'RS256', kid: 'r' })
    },
    'its own key in the header': async () => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      const header = { alg: 'RS256', jwk: await exportJWK(publicKey) }
      return sign({ aud: service.agent.appNameId }, privateKey, header)
    },
    'changed claims': async () => {
      const [header, , mac] = (await sign()).split('.')
      return `${header}.${part({ ...soon(), sub: 'admin' })}.${mac}`
    },
    'a beginning in the future': () => sign({ nbf: seconds() + 120 }),
    'no end': () => sign({ exp: null }),
    'an end in a month': () => sign({ exp: seconds() + 2_592_000 }),
    'no subject': () => sign({ sub: '' }),
    'the name of an anonymous visitor': () => sign({ sub: 'visitor:abc' }),
    'a subject of two lines': () => sign({ sub: 'a\nb' }),
    'more claims than fit': () =>
      sign(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`c${n}`, 'x'.repeat(200)]))),
  }
  test.each(Object.keys(forged))('with %s is refused', async (name) => {
    const refused = await enter({ identity: await forged[name]?.() })
    expect([refused.status, await refused.json()]).toEqual([
      401,
      { error: { code: 'identity_refused' } },
    ])
  })

  test('that has expired is refused, and so is one with a replaced secret', async () => {
    const identity = await sign()
    expect((await enter({ identity })).status).toBe(200)
    service.advance(400_000)
    const late = await enter({ identity })
    expect([late.status, await late.json()]).toEqual([401, { error: { code: 'identity_expired' } }])
    const old = await sign()
    secret = String((await call('rotate_identity_secret', {})).secret)
    expect((await enter({ identity: old })).status).toBe(401)
  })

  test('is none of those with the issuer and audience that an editor has entered', async () => {
    const identified = async (given: object) => {
      const identity = await sign(given, rsa.privateKey, { alg: 'RS256', kid: 'r' })
      return (await enter({ identity })).status
    }
    const own = { aud: service.agent.appNameId }
    expect(await identified({ ...own, iss: 'https://any.example' })).toBe(200)
    for (const wrong of [{}, { aud: 'another-program' }, { aud: [] }])
      expect(await identified(wrong)).toBe(401)
    const iss = 'https://login.shop.example'
    await service.change({ identity_issuer: iss, identity_audience: 'the-shop' })
    expect(await identified({ iss, aud: 'the-shop' })).toBe(200)
    expect(await identified({ iss, aud: ['the-shop', 'another'] })).toBe(200)
    const forged = [
      { aud: 'the-shop' },
      { iss: `${iss}/`, aud: 'the-shop' },
      { iss: 'https://evil.example', aud: 'the-shop' },
      { iss, ...own },
    ]
    for (const wrong of forged) expect(await identified(wrong)).toBe(401)
  })
})
