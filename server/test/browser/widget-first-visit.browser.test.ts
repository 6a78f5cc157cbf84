import { SignJWT } from 'jose'
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { hostWidget, type HostedWidget } from '#test/support/browser/hosted-widget.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'

describeDashboard('the first visit of a widget on a page', (open) => {
  let service: DashboardService
  let model: ModelServer
  let widget: HostedWidget
  let secret: string

  beforeAll(async () => {
    model = await startModelServer({ reply: 'At nine.' })
    service = await open({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: model.baseUrl })
    widget = await hostWidget(service, { name: 'Desk', model: 'openai/gpt-4o' })
    const { secret: made } = await service.call('rotate_identity_secret', { app_id: widget.appId })
    secret = String(made)
  })
  afterAll(() => model.stop())

  const identityOf = async (sub: string, seconds = 300) =>
    await new SignJWT({ sub })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(Math.floor(service.ctx.clock.now() / 1000) + seconds)
      .sign(new TextEncoder().encode(secret))
  /** What a site does on each of its pages, before the widget has loaded. */
  const onEachPage = (page: Page, commands: string) =>
    page.addInitScript(`if (self === top) {
      window.heard = []
      window.parley = function () { (window.parley.q = window.parley.q ?? []).push(arguments) }
      for (const name of ['identified', 'error']) parley('on', name, (detail) => heard.push(detail ?? name))
      ${commands}
    }`)
  const ask = async (chat: Frame, text: string) => {
    await chat.getByLabel('Write a message').fill(text)
    await chat.getByLabel('Write a message').press('Enter')
  }
  const visits = '**/chat/widget/*/visit'

  test('of an identified person reopens the widget with the conversation of the page before', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await onEachPage(page, `parley('identify', '${await identityOf('customer-1')}')`)
    await widget.visit(page)
    await widget.launcher(page).click()
    await ask(await widget.chat(page), 'When do you open?')
    await (await widget.chat(page)).locator('.actions').waitFor()
    const next = () => page.goto(`${widget.host.origin}/other`)
    for (const go of [() => page.reload(), next]) {
      await go()
      const chat = await widget.chat(page)
      await chat.locator('#messages').getByText('At nine.').waitFor()
      expect(await page.evaluate('heard')).toEqual(['identified'])
    }
    await page.context().close()
  })

  test('reopens the widget after a link to the same address, in place of the page, and over another site', async () => {
    const other = 'https://login.example'
    const page = await service.page({ locale: 'en-GB' })
    await page.route(`${other}/**`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<a href="https://shop.example/">Back</a>' }),
    )
    const links = `<a href="/prices">Same</a><a href="${other}/">Away</a>`
    await widget.visit(page, '/prices', links)
    await widget.launcher(page).click()
    await ask(await widget.chat(page), 'When do you open?')
    await (await widget.chat(page)).locator('.actions').waitFor()
    const ways = {
      same: () => page.getByRole('link', { name: 'Same' }).click(),
      replaced: () => page.evaluate(`location.replace('/other')`),
      away: async () => {
        await page.getByRole('link', { name: 'Away' }).click()
        await page.getByRole('link', { name: 'Back' }).click()
      },
    }
    for (const [name, go] of Object.entries(ways)) {
      await page.evaluate('window.isBefore = true')
      await go()
      await page.waitForFunction('window.isBefore === undefined')
      const chat = await widget.chat(page)
      await chat.locator('#messages').getByText('At nine.').waitFor()
      if (name !== 'away') expect(await page.evaluate('navigation.entries().length'), name).toBe(1)
    }
    await page.context().close()
  })

  test('of a person whose token is no longer valid is anonymous, and the site hears of it', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await onEachPage(page, `parley('identify', '${await identityOf('customer-2', -300)}')`)
    await widget.visit(page)
    await widget.launcher(page).click()
    const chat = await widget.chat(page)
    await ask(chat, 'When do you open?')
    await chat.locator('#messages').getByText('At nine.').waitFor()
    expect(await page.evaluate('heard')).toEqual(['identity_expired'])
    // With another token, what has been asked meanwhile becomes the person's.
    await page.evaluate(`parley('identify', '${await identityOf('customer-2')}')`)
    await expect.poll(() => page.evaluate('heard')).toEqual(['identity_expired', 'identified'])
    const { items } = await service.call('list_conversations', {
      app_id: widget.appId,
      end_user: 'customer-2',
    })
    expect(items).toHaveLength(1)
    await page.context().close()
  })

  test.each([
    ['there is no network', null, 'There is no connection.', 'offline'],
    ['there are too many requests', 429, 'Too many messages. Try again in 3 minutes.', 'busy'],
    ['a proxy answers', 502, 'This chat is not available.', 'failed'],
  ])('is tried again if %s, and what was written is sent', async (_, status, words, code) => {
    const page = await service.page({ locale: 'en-GB' })
    await onEachPage(page, '')
    let tries = 0
    await page.route(visits, async (route) => {
      tries += 1
      if (status === null) return await route.abort('internetdisconnected')
      const body = status === 429 ? '{"error":{"code":"busy","retry_after":150}}' : '<html>'
      const headers = { 'access-control-allow-origin': '*' }
      await route.fulfill({ status, headers, body })
    })
    await widget.visit(page)
    await widget.launcher(page).click()
    const chat = await widget.chat(page)
    await chat.locator('.notice').getByText(words).waitFor()
    expect(await page.evaluate('heard[0]')).toBe(code)
    // It is tried again by itself, unless the service has asked for a longer wait, and when something is sent.
    if (status !== 429) await expect.poll(() => tries, { timeout: 10_000 }).toBeGreaterThan(1)
    await page.unroute(visits)
    await ask(chat, 'When do you open?')
    await chat.locator('#messages').getByText('At nine.').waitFor()
    expect(await chat.locator('.question').count()).toBe(1)
    expect(await chat.locator('.notice').count()).toBe(0)
    await page.context().close()
  })

  test('begins although a script of the site has spoiled what the tab keeps, and sends every question', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await widget.visit(page)
    const { widget_key: key } = await service.call('get_chat_page', { app_id: widget.appId })
    for (const spoiled of ['{', 'null', '7']) {
      await page.evaluate(`sessionStorage.setItem('parley ${String(key)}', '${spoiled}')`)
      await page.reload()
      await widget.launcher(page).waitFor()
    }
    await page.evaluate(`for (const text of ['One?', 'Two?', 'Three?']) parley('ask', text)`)
    const chat = await widget.chat(page)
    await expect.poll(() => chat.locator('.actions').count()).toBe(3)
    await page.evaluate(`for (const text of ['Four?', 'Five?']) parley('ask', text)`)
    await expect.poll(() => chat.locator('.actions').count()).toBe(5)
    const asked = await chat.locator('.question p').allTextContents()
    expect(asked).toEqual(['One?', 'Two?', 'Three?', 'Four?', 'Five?'])
    await page.context().close()
  })
})
