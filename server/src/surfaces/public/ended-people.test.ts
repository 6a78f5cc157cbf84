import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAgent } from '#features/agents/index.ts'
import {
  changePassword,
  disableUser,
  endOtherSessions,
  endSession,
  endUserSessions,
  listSessions,
  resetPassword,
} from '#features/identity/index.ts'
import { updateChatPage } from '#features/visitors/index.ts'
import { findOperation } from '#operations/catalogue.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import {
  openIdClient,
  startOpenIdServer,
  type OpenIdServer,
} from '#test/support/servers/openid-server.ts'
import {
  describeSignIn,
  type Account,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'
import { actorOf } from '#test/support/test-instance.ts'

const local = 'http://localhost:3000'
const tokenOf = (html: string) => /"token":"([^"]+)"/.exec(html)?.[1] ?? ''

interface Person extends Account {
  readonly browser: FormBrowser
}

describeSignIn('visits and passes of people whose credentials end', (open) => {
  let provider: OpenIdServer
  let service: SignInService
  let path: string
  let appId: string
  let widget: string
  let people = 0

  beforeAll(async () => {
    provider = await startOpenIdServer()
    service = await open({
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: openIdClient.id,
      OIDC_CLIENT_SECRET: openIdClient.secret,
    })
    const agent = await createAgent(service.ctx, service.ada, { name: 'Internal' })
    appId = agent.id
    path = `/chat/${agent.appNameId}`
    await allow('public')
    const page = await call(service.ada, 'get_chat_page', {})
    widget = `/chat/widget/${String(page.widget_key)}`
  })
  afterAll(() => provider.stop())

  const allow = (access: 'members' | 'openid' | 'public') =>
    updateChatPage(service.ctx, service.ada.workspaceId, appId, { enabled: true, access })
  const call = async (
    { userId }: Pick<Account, 'userId'>,
    name: string,
    input: object,
    session?: string,
  ) => {
    const { workspaceId } = service.ada
    const actor = actorOf({ userId, workspaceId, name: 'Someone', email: '' })
    const acting = session === undefined ? actor : { ...actor, session }
    return await runOperation(service.ctx, acting, findOperation(name)!, {
      app_id: appId,
      ...input,
    })
  }
  const ask = async (token: string, below: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, origin: 'null' }
    return (await service.post(path + below, body, headers)).status
  }
  const enterWidget = async (editor: string) => {
    const response = await service.post(`${widget}/visit`, { editor }, { origin: local })
    return { status: response.status, ...((await response.json()) as { token?: string }) }
  }

  /** A member who is signed in, with a password or at the provider. */
  async function member(by: 'password' | 'openid' = 'password'): Promise<Person> {
    people += 1
    const name = `person-${people}`
    const account = await service.account(name)
    await service.join({ ...account, name }, service.ada.workspaceId, 'editor')
    if (by === 'password') return { ...account, browser: await service.signedIn(account) }
    provider.person = { sub: name, email: account.email, email_verified: true }
    const browser = service.browser()
    const asked = await browser.open('/login/oidc?return_to=/account')
    const back = await fetch(asked ?? '', { redirect: 'manual' })
    const { pathname, search } = new URL(back.headers.get('location') ?? '')
    await browser.open(pathname + search)
    return { ...account, browser }
  }

  const sessionOf = async ({ userId }: Account) => {
    const [session] = await listSessions(service.ctx, userId)
    if (session === undefined) throw new Error('signed out')
    return session
  }

  const endings: Readonly<Record<string, (of: Person) => Promise<unknown>>> = {
    'the operator resets the password': ({ email }) => resetPassword(service.ctx, { email }),
    'the operator disables the account': ({ email }) => disableUser(service.ctx, email),
    'the operator ends the sessions': ({ email }) => endUserSessions(service.ctx, email),
    'the person signs out': async ({ browser }) => {
      await browser.open('/account')
      await browser.submit('/sign-out')
    },
    'the person ends this session elsewhere': async (of) =>
      endSession(service.ctx, of.userId, (await sessionOf(of)).id),
    'the person ends all other sessions elsewhere': async (of) =>
      endOtherSessions(service.ctx, { ...(await sessionOf(of)), id: 'another' }),
    'the person changes the password elsewhere': async (of) => {
      const given = { current: of.password, next: 'a wholly different passphrase' }
      await changePassword(service.ctx, { ...(await sessionOf(of)), id: 'another' }, given)
    },
  }

  test.each(Object.entries(endings))('a visit ends at once when %s', async (_, end) => {
    await allow('members')
    const mia = await member()
    await mia.browser.open(`/login${path}`)
    const token = tokenOf(mia.browser.html)
    expect(await ask(token, '/visit', {})).toBe(200)
    await end(mia)
    expect(await ask(token, '/visit', {})).toBe(403)
    expect(await ask(token, '/messages', { text: 'hello' })).toBe(403)
    // Nor does the cookie of the page open it again.
    await mia.browser.open(path)
    expect(mia.browser.response.status).toBe(403)
  })

  test('a visit ends at once when the OpenID provider reports a logout', async () => {
    await allow('openid')
    const mia = await member('openid')
    await mia.browser.open(`/login${path}`)
    const token = tokenOf(mia.browser.html)
    expect(await ask(token, '/visit', {})).toBe(200)
    const logout_token = provider.logoutToken({ sub: `person-${people}` })
    const sent = new URLSearchParams({ logout_token })
    expect((await service.post('/login/oidc/back-channel-logout', sent)).status).toBe(200)
    expect(await ask(token, '/visit', {})).toBe(403)
    expect(await ask(token, '/messages', { text: 'hello' })).toBe(403)
    await mia.browser.open(path)
    expect(mia.browser.response.status).toBe(403)
  })

  test('a visit of someone who is no member ends at once when the page becomes one for members', async () => {
    await allow('openid')
    const mia = await member('openid')
    await service.ctx.db.write((tx) =>
      tx.deleteFrom('memberships').where('user_id', '=', mia.userId).execute(),
    )
    await mia.browser.open(`/login${path}`)
    const token = tokenOf(mia.browser.html)
    expect(await ask(token, '/visit', {})).toBe(200)
    await allow('members')
    expect(await ask(token, '/messages', { text: 'hello' })).toBe(403)
  })

  test.each(Object.entries(endings))(
    'the pass of an editor ends at once when %s',
    async (_, end) => {
      await allow('public')
      const mia = await member()
      const { id } = await sessionOf(mia)
      const { pass } = await call(mia, 'create_widget_pass', {}, id)
      const { status, token = '' } = await enterWidget(String(pass))
      expect([status, await ask(token, '/visit', {})]).toEqual([200, 200])
      await end(mia)
      expect((await enterWidget(String(pass))).status).toBe(403)
      expect(await ask(token, '/messages', { text: 'hello' })).toBe(403)
      const frame = await service.app.request(`${widget}/frame?editor=${String(pass)}`)
      expect(frame.headers.get('content-security-policy')).not.toContain('localhost')
    },
  )

  test('a pass from the command line ends with the account', async () => {
    await allow('public')
    const mia = await member()
    const { pass } = await call(mia, 'create_widget_pass', {})
    expect((await enterWidget(String(pass))).status).toBe(200)
    await disableUser(service.ctx, mia.email)
    expect((await enterWidget(String(pass))).status).toBe(403)
  })
})
