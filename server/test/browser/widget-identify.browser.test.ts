import { SignJWT } from 'jose'
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { hostWidget, type HostedWidget } from '#test/support/browser/hosted-widget.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'

describeDashboard('a visitor whom the host identifies', (open) => {
  let service: DashboardService
  let model: ModelServer
  let widget: HostedWidget

  beforeAll(async () => {
    model = await startModelServer({ reply: 'At nine.' })
    service = await open({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: model.baseUrl })
    widget = await hostWidget(service, { name: 'Desk', model: 'openai/gpt-4o' })
  })
  afterAll(() => model.stop())

  const identityOf = async (sub: string) => {
    const { secret } = await service.call('rotate_identity_secret', { app_id: widget.appId })
    return await new SignJWT({ sub })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(Math.floor(service.ctx.clock.now() / 1000) + 300)
      .sign(new TextEncoder().encode(String(secret)))
  }
  /** @returns what `identified` or `error` says */
  const identify = (page: Page, identity: string) =>
    page.evaluate(
      `new Promise((done) => { parley('on', 'identified', () => done('identified')); parley('on', 'error', done); parley('identify', '${identity}') })`,
    )
  const ask = async (chat: Frame, text: string) => {
    await chat.getByLabel('Write a message').fill(text)
    await chat.getByLabel('Write a message').press('Enter')
  }
  const conversationsOf = async (endUser: string) =>
    (await service.call('list_conversations', { app_id: widget.appId, end_user: endUser }))
      .items as readonly { readonly message_count: number }[]
  test('while an answer is written reads the whole answer, and then it is theirs', async () => {
    const identity = await identityOf('customer-42')
    const page = await service.page({ locale: 'en-GB' })
    const sent = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await page.route('**/chat/*/messages', async (route) => {
      sent.resolve()
      await held.promise
      await route.continue()
    })
    await widget.visit(page)
    await widget.launcher(page).click()
    const chat = await widget.chat(page)
    const heard = page.evaluate(
      `new Promise((done) => parley('on', 'message', () => done('heard')))`,
    )
    await ask(chat, 'When do you open?')
    await Promise.all([heard, sent.promise])
    const identified = identify(page, identity)
    // Long enough for a visit that would begin at once.
    await page.evaluate('new Promise((done) => setTimeout(done, 500))')
    held.resolve()
    await chat.locator('#messages').getByText('At nine.').waitFor()
    expect(await identified).toBe('identified')
    // The conversation goes on where it was.
    expect(await chat.locator('.question').count()).toBe(1)
    await ask(chat, 'And when do you close?')
    await expect.poll(() => chat.locator('.actions').count()).toBe(2)
    expect(await conversationsOf('customer-42')).toMatchObject([{ message_count: 4 }])
    await page.context().close()
  })

  test('in the moment after Enter reads the whole answer, too', async () => {
    const identity = await identityOf('customer-43')
    const page = await service.page({ locale: 'en-GB' })
    // What the frame reports arrives later, as on a busy page.
    await page.addInitScript(`window.late = []
      addEventListener('message', (event) => {
        if (window.late === null || event.data?.parley !== 'message') return
        event.stopImmediatePropagation()
        late.push(event)
      }, true)`)
    const sent = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await page.route('**/chat/*/messages', async (route) => {
      sent.resolve()
      await held.promise
      await route.continue()
    })
    await widget.visit(page)
    await widget.launcher(page).click()
    const chat = await widget.chat(page)
    await ask(chat, 'When do you open?')
    await sent.promise
    const identified = identify(page, identity)
    await page.evaluate(`{
      const { late } = window
      window.late = null
      for (const { data, origin, source } of late)
        dispatchEvent(new MessageEvent('message', { data, origin, source }))
    }`)
    await page.evaluate('new Promise((done) => setTimeout(done, 500))')
    held.resolve()
    await chat.locator('#messages').getByText('At nine.').waitFor()
    expect(await identified).toBe('identified')
    expect(await chat.locator('.question').count()).toBe(1)
    expect(await chat.locator('.notice').count()).toBe(0)
    await expect.poll(() => conversationsOf('customer-43')).toMatchObject([{ message_count: 2 }])
    await page.context().close()
  })

  test('sends what is written meanwhile as the person, or as before if the token is refused', async () => {
    const identity = await identityOf('customer-44')
    const page = await service.page({ locale: 'en-GB' })
    await widget.visit(page)
    await widget.launcher(page).click()
    const chat = await widget.chat(page)
    await ask(chat, 'When do you open?')
    await chat.locator('#messages').getByText('At nine.').waitFor()
    const messages: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/messages'))
        messages.push(request.url())
    })
    for (const [token, said] of [
      ['no.token.atall', 'identity_refused'],
      [identity, 'identified'],
    ] as const) {
      const asked = Promise.withResolvers<void>()
      const held = Promise.withResolvers<void>()
      const visits = '**/chat/widget/*/visit'
      await page.route(visits, async (route) => {
        asked.resolve()
        await held.promise
        await route.continue()
      })
      const answers = await chat.locator('.actions').count()
      const settled = identify(page, token)
      await asked.promise
      const count = messages.length
      await ask(chat, `After ${said}?`)
      await page.evaluate('new Promise((done) => setTimeout(done, 300))')
      expect(messages).toHaveLength(count)
      held.resolve()
      expect(await settled).toBe(said)
      await expect.poll(() => chat.locator('.actions').count()).toBe(answers + 1)
      expect(messages).toHaveLength(count + 1)
      await page.unroute(visits)
    }
    expect(await chat.locator('.question').count()).toBe(3)
    expect(await chat.locator('.notice').count()).toBe(0)
    await expect.poll(() => conversationsOf('customer-44')).toMatchObject([{ message_count: 6 }])
    await page.context().close()
  })
})
