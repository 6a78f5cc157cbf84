import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { removeMember } from '#features/members/index.ts'
import { signInAt } from '#test/support/browser/browser-service.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { hostWidget, type HostedWidget } from '#test/support/browser/hosted-widget.ts'
import { expectSoundLooks, looks } from '#test/support/browser/looks.ts'
import {
  openIdClient,
  startOpenIdServer,
  type OpenIdServer,
} from '#test/support/servers/openid-server.ts'
import { actorOf } from '#test/support/test-instance.ts'

const restricted = 'Only people with access can open this chat.'
const noAccess = 'You are signed in, but your account has no access to this chat.'

describeDashboard('a chat page that not everyone may open', (open) => {
  let service: DashboardService
  let provider: OpenIdServer
  let widget: HostedWidget
  let address: string

  beforeAll(async () => {
    provider = await startOpenIdServer()
    service = await open({
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: openIdClient.id,
      OIDC_CLIENT_SECRET: openIdClient.secret,
      OIDC_NAME: 'Example ID',
    })
    widget = await hostWidget(service, { name: 'Staff desk', greeting: 'Hello staff!' })
    const { url } = await service.call('get_chat_page', { app_id: widget.appId })
    address = String(url)
  })
  afterAll(() => provider.stop())

  /** The provider signs this person in from now on. */
  const identify = ({ email = '' }: { readonly email?: string | undefined }) => {
    provider.person = { sub: email, email, email_verified: true }
  }
  const refused = async (locale = 'en-GB') => {
    const page = await service.page({ locale })
    // Tests share the processors with other processes.
    page.setDefaultTimeout(20_000)
    expect((await page.goto(address))?.status()).toBe(403)
    return page
  }
  const enter = (page: Page) => page.getByRole('link', { name: 'Sign in' }).click()
  /** The page is the one that asked to sign in, and answers. */
  const expectChat = async (page: Page) => {
    // The form that signs in leads here, and the page answers once it has loaded.
    await page.waitForURL(address)
    await page.getByText('Hello staff!').waitFor()
    await page.getByLabel('Write a message').fill('When is lunch?')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Answer again' }).waitFor()
  }
  const peopleWhoAsked = async () => {
    const { items } = await service.call('list_conversations', { app_id: widget.appId })
    return (items as readonly { end_user: string }[]).map(({ end_user }) => end_user)
  }

  test('asks members to sign in, leads back to the chat, and knows them after a reload', async () => {
    await widget.change({ access: 'members' })
    const page = await refused()
    await page.getByText(restricted).waitFor()
    expect(await page.content()).not.toContain('Staff desk')
    await expectSoundLooks(page, 'chat-page-restricted')
    await enter(page)
    await signInAt(page)
    await expectChat(page)
    expect(await peopleWhoAsked()).toEqual([`person:${service.ada.userId}`])
    await page.reload()
    await page.getByRole('button', { name: 'Conversations' }).click()
    await page.getByRole('dialog').getByText('When is lunch?').click()
    await page.getByRole('button', { name: 'Answer again' }).waitFor()
    await page.context().close()
  })

  test('asks in the language of the visitor, also from right to left', async () => {
    await widget.change({ access: 'members' })
    const page = await refused('ar')
    await page.getByRole('link', { name: 'تسجيل الدخول' }).waitFor()
    expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
    const seen = looks.filter(({ isChecked }) => isChecked)
    await expectSoundLooks(page, 'chat-page-restricted-ar', seen)
    await page.context().close()
  })

  test('tells people who are no members that their account has no access, and where it is', async () => {
    await widget.change({ access: 'members' })
    await service.account('Mallory')
    const page = await refused()
    await enter(page)
    await page.getByLabel('Email', { exact: true }).fill('mallory@example.com')
    await page.getByLabel('Password', { exact: true }).fill('the password of ada')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText(noAccess).waitFor()
    expect(await page.content()).not.toContain('Staff desk')
    expect(await page.getByRole('textbox').count()).toBe(0)
    await expectSoundLooks(page, 'chat-page-no-access')
    // With another account, the same person gets in.
    await page.getByRole('link', { name: 'Go to your account' }).click()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
    await page.goto(address)
    await enter(page)
    await signInAt(page)
    await expectChat(page)
    await page.context().close()
  })

  test('refuses someone who is no longer a member in the chat that they have open', async () => {
    await widget.change({ access: 'members' })
    const mia = await service.account('Mia', 'viewer')
    const page = await service.visit('/agents', { as: mia })
    await page.goto(address)
    await enter(page)
    await expectChat(page)
    await removeMember(service.ctx, actorOf(service.ada), mia.userId)
    await page.getByLabel('Write a message').fill('And dinner?')
    await page.keyboard.press('Enter')
    await page.locator('#messages').getByText(restricted).waitFor()
    await page.context().close()
  })

  test('asks people of the OpenID provider to sign in there, and leads back to the chat', async () => {
    await widget.change({ access: 'openid' })
    identify(await service.account('Olga'))
    const page = await refused()
    await page.getByText(restricted).waitFor()
    const asked = page.waitForRequest((request) => request.url().startsWith(provider.issuer))
    await enter(page)
    expect((await asked).isNavigationRequest()).toBe(true)
    await expectChat(page)
    await page.context().close()
  })

  test('sends who has signed in with a password to the provider, and refuses who has no account', async () => {
    await widget.change({ access: 'openid' })
    const pia = await service.account('Pia')
    const page = await service.visit('/agents', { as: pia })
    identify({ email: 'eve@example.com' })
    await page.goto(address)
    await page.getByText(restricted).waitFor()
    await enter(page)
    await page.getByRole('heading', { name: 'No account here' }).waitFor()
    expect(await page.content()).not.toContain('Staff desk')
    await page.goto(address)
    await page.getByText(restricted).waitFor()
    identify(pia)
    await enter(page)
    await expectChat(page)
    await page.context().close()
  })

  test.each(['members', 'openid', 'link'] as const)(
    'is never in the widget (%s): a link on the site opens it as a page of its own',
    async (access) => {
      await widget.change({ access })
      const { url } = await service.call('get_chat_page', { app_id: widget.appId })
      identify(service.ada)
      const page = await service.visit('/agents')
      const lines: string[] = []
      page.on('console', (line) => lines.push(line.text()))
      await widget.visit(page, '/prices', `<a href="${String(url)}">Chat</a>`)
      await expect.poll(() => lines.join('\n')).toContain('the widget is not shown')
      expect(await page.locator('parley-widget, iframe').count()).toBe(0)
      await page.getByRole('link', { name: 'Chat' }).click()
      if (access !== 'link') await enter(page)
      await page.getByText('Hello staff!').waitFor()
      expect(page.url()).toBe(String(url))
      await page.context().close()
    },
  )
})
