import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import { removeMember } from '#features/members/index.ts'
import { updateChatPage } from '#features/visitors/index.ts'
import { dayMs } from '#kernel/durations.ts'
import {
  openIdClient,
  startOpenIdServer,
  type OpenIdServer,
} from '#test/support/servers/openid-server.ts'
import { describeSignIn, type SignInService } from '#test/support/identity/sign-in-service.ts'
import { actorOf } from '#test/support/test-instance.ts'

const tokenOf = (html: string) => /"token":"([^"]+)"/.exec(html)?.[1] ?? null

describeSignIn('a chat page for people who sign in', (open) => {
  let provider: OpenIdServer
  let service: SignInService
  let path: string
  let appId: string

  beforeAll(async () => {
    provider = await startOpenIdServer()
    service = await open({
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: openIdClient.id,
      OIDC_CLIENT_SECRET: openIdClient.secret,
    })
    const { userId, workspaceId } = service.ada
    const agent = await createAgent(service.ctx, { userId, workspaceId }, { name: 'Internal' })
    appId = agent.id
    path = `/chat/${agent.appNameId}`
  })
  afterAll(() => provider.stop())

  const allow = (access: 'members' | 'openid' | 'public') =>
    updateChatPage(service.ctx, service.ada.workspaceId, appId, { enabled: true, access })
  const renew = (token: string | null) =>
    service.post(`${path}/visit`, {}, { authorization: `Bearer ${token}`, origin: 'null' })

  test('opens for members only, who are the same person in every browser, until they leave', async () => {
    await allow('members')
    const mia = await service.account('mia')
    const { ada } = service
    await service.join({ ...mia, name: 'Mia' }, ada.workspaceId, 'viewer')
    const stranger = await service.signedIn(await service.account('stranger'))
    await stranger.open(`/login${path}`)
    expect(stranger.response.status).toBe(403)
    expect(stranger.html).toContain('your account has no access to this chat')
    expect(stranger.html).not.toContain('Internal')

    const browser = await service.signedIn(mia)
    // Being signed in is not enough: the page itself reads no session.
    await browser.open(path)
    expect(browser.response.status).toBe(403)
    await browser.open(`/login${path}`)
    expect(browser.url.pathname).toBe(path)
    const token = tokenOf(browser.html)
    const claims = JSON.parse(
      Buffer.from((token ?? '').split('.')[0] ?? '', 'base64url').toString(),
    )
    expect(claims).toMatchObject({ person: mia.userId })
    expect((await renew(token)).status).toBe(200)

    const actor = actorOf({ ...ada, name: 'Ada' })
    await removeMember(service.ctx, actor, mia.userId)
    expect((await renew(token)).status).toBe(403)
    await browser.open(path)
    expect(browser.response.status).toBe(403)
  })

  test('asks members to sign in again after a day', async () => {
    await allow('members')
    const browser = await service.signedIn()
    await browser.open(`/login${path}`)
    expect(tokenOf(browser.html)).not.toBeNull()
    service.advance(dayMs)
    await browser.open(path)
    expect(browser.response.status).toBe(403)
  })

  test('forgets who signed in when it is opened to everyone', async () => {
    await allow('members')
    const browser = await service.signedIn()
    await browser.open(`/login${path}`)
    const token = tokenOf(browser.html)
    await allow('public')
    const renewed = (await (await renew(token)).json()) as { token: string }
    await browser.open(path)
    const opened = tokenOf(browser.html) ?? ''
    for (const given of [renewed.token, opened]) {
      const claims = JSON.parse(Buffer.from(given.split('.')[0] ?? '', 'base64url').toString())
      expect(claims).not.toHaveProperty('person')
      expect(claims).not.toHaveProperty('signedIn')
    }
    // The browser itself has forgotten it, too.
    await allow('members')
    await browser.open(path)
    expect(browser.response.status).toBe(403)
  })

  test('of the OpenID provider opens for nobody who signed in with a password', async () => {
    await allow('openid')
    const byPassword = await service.signedIn()
    const address = await byPassword.open(`/login${path}`)
    expect(address).toMatch(new RegExp(`^${provider.issuer}`))

    provider.person = { sub: 'ada-1', email: service.ada.email, email_verified: true }
    const browser = service.browser()
    const asked = await browser.open(`/login${path}`)
    const back = await fetch(asked ?? '', { redirect: 'manual' })
    const { pathname, search } = new URL(back.headers.get('location') ?? '')
    await browser.open(pathname + search)
    expect(browser.url.pathname).toBe(path)
    expect(tokenOf(browser.html)).not.toBeNull()
  })

  test('is previewed in the dashboard by those whom it opens for', async () => {
    const framing = (response: Response) =>
      /frame-ancestors ([^;]+)/.exec(response.headers.get('content-security-policy') ?? '')?.[1]
    await allow('members')
    const browser = await service.signedIn()
    await browser.open(`/login${path}?preview`)
    expect(browser.url.pathname + browser.url.search).toBe(`${path}?preview`)
    expect(tokenOf(browser.html)).not.toBeNull()
    expect(framing(browser.response)).toBe("'self'")

    // Who signed in in another way sees what the page says to them: no provider opens in a frame.
    await allow('openid')
    const byPassword = await service.signedIn()
    await byPassword.open(`/login${path}?preview`)
    expect([byPassword.response.status, framing(byPassword.response)]).toEqual([403, "'self'"])
    expect(byPassword.html).toContain('Only people with access can open this chat.')
    expect(byPassword.html).not.toContain('/login')
    // No other page may frame it.
    await byPassword.open(path)
    expect([byPassword.response.status, framing(byPassword.response)]).toEqual([403, "'none'"])
    await allow('public')
    await browser.open(`/login${path}?preview`)
    expect(browser.url.search).toBe('?preview')
  })
})
