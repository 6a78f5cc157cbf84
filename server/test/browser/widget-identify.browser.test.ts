import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDashboard, type DashboardService } from '#test/support/dashboard.ts'
import { hostWidget, type HostedWidget } from '#test/support/hosted-widget.ts'
import { startModelServer, type ModelServer } from '#test/support/model-server.ts'

describeDashboard('a visitor whom the host identifies while an answer is written', (open) => {
  let service: DashboardService
  let model: ModelServer
  let widget: HostedWidget

  beforeAll(async () => {
    model = await startModelServer({ reply: 'At nine.' })
    service = await open({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: model.baseUrl })
    widget = await hostWidget(service, { name: 'Desk', model: 'openai/gpt-4o' })
  })
  afterAll(() => model.stop())

  test('reads the whole answer, and then it is theirs', async () => {
    const { secret } = await service.call('rotate_identity_secret', { app_id: widget.appId })
    const identity = await new SignJWT({ sub: 'customer-42' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(Math.floor(service.ctx.clock.now() / 1000) + 300)
      .sign(new TextEncoder().encode(String(secret)))
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
    await chat.getByLabel('Write a message').fill('When do you open?')
    await chat.getByLabel('Write a message').press('Enter')
    await Promise.all([heard, sent.promise])
    const identified = page.evaluate(
      `new Promise((done, fail) => { parley('on', 'identified', () => done('identified')); parley('on', 'error', fail); parley('identify', '${identity}') })`,
    )
    // Long enough for a visit that would begin at once.
    await page.evaluate('new Promise((done) => setTimeout(done, 500))')
    held.resolve()
    await chat.locator('#messages').getByText('At nine.').waitFor()
    expect(await identified).toBe('identified')
    // The conversation goes on where it was.
    expect(await chat.locator('.question').count()).toBe(1)
    await chat.getByLabel('Write a message').fill('And when do you close?')
    await chat.getByLabel('Write a message').press('Enter')
    await expect.poll(() => chat.locator('.actions').count()).toBe(2)
    const { items } = await service.call('list_conversations', { app_id: widget.appId })
    expect(items).toMatchObject([{ end_user: 'customer-42', message_count: 4 }])
    await page.context().close()
  })
})
