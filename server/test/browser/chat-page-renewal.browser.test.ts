import type { Frame, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { hostWidget, type HostedWidget } from '#test/support/browser/hosted-widget.ts'

const minutes = 20
const draft = 'And on Sund'

describeDashboard('a visit after a device has slept', (open) => {
  let service: DashboardService
  let widget: HostedWidget
  let address: string

  beforeAll(async () => {
    service = await open()
    widget = await hostWidget(service)
    const text = 'The shop opens at nine and closes at six from Monday to Friday.'
    await service.call('add_knowledge_source', { app_id: widget.appId, title: 'The shop', text })
    address = String((await service.call('get_chat_page', { app_id: widget.appId })).url)
  })

  const message = (chat: Page | Frame) => chat.getByLabel('Write a message')
  const ask = async (chat: Page | Frame, text: string) => {
    await message(chat).fill(text)
    await message(chat).press('Enter')
    await chat.getByRole('article').filter({ hasText: 'opens at nine' }).last().waitFor()
    await chat.getByRole('button', { name: 'Answer again' }).last().waitFor()
  }
  const questions = (chat: Page | Frame) => chat.locator('.question').allTextContents()
  /** The clocks of the device and of the service go on, and no timer runs meanwhile. */
  const sleep = async (page: Page) => {
    service.advance(minutes * 60_000)
    await page.clock.fastForward(`${minutes}:00`)
  }
  const expectGoneOn = async (chat: Page | Frame) => {
    await expect.poll(() => message(chat).inputValue()).toBe(draft)
    await expect.poll(() => questions(chat)).toEqual(['You: When does the shop open?'])
    await ask(chat, 'And when does it close?')
    expect(await questions(chat)).toEqual([
      'You: When does the shop open?',
      'You: And when does it close?',
    ])
    const { items } = await service.call('list_conversations', { app_id: widget.appId })
    expect((items as readonly { message_count: number }[])[0]).toMatchObject({ message_count: 4 })
  }
  const opened = async () => {
    const page = await service.page({ locale: 'en-GB' })
    await page.clock.install()
    return page
  }

  test('begins again on the page, with the conversation and what was typed', async () => {
    const page = await opened()
    await page.goto(address)
    await ask(page, 'When does the shop open?')
    await message(page).fill(draft)
    const again = page.waitForEvent('load')
    await sleep(page)
    await again
    await expectGoneOn(page)
    await page.context().close()
  })

  test('begins again with the next message if there was no connection', async () => {
    const page = await opened()
    await page.goto(address)
    await ask(page, 'When does the shop open?')
    await page.route('**/visit', (route) => route.abort())
    await sleep(page)
    await message(page).fill(draft)
    const again = page.waitForEvent('load')
    await message(page).press('Enter')
    await again
    await expectGoneOn(page)
    await page.context().close()
  })

  test('begins again in the installed app, as the same visitor', async () => {
    const page = await opened()
    await page.goto(`${address}/app`)
    const frame = () => {
      const inner = page.frames().find((one) => one.url().endsWith('?app'))
      if (inner === undefined) throw new Error('the app has no frame')
      return inner
    }
    await ask(frame(), 'When does the shop open?')
    await message(frame()).fill(draft)
    await sleep(page)
    await expectGoneOn(frame())
    await page.context().close()
  })

  test('begins again in the widget, on the page of the host', async () => {
    const page = await opened()
    await widget.visit(page)
    await widget.launcher(page).click()
    const chat = await widget.chat(page)
    await ask(chat, 'When does the shop open?')
    await message(chat).fill(draft)
    const begun = page.waitForResponse((response) => /\/widget\/[^/]+\/visit$/.test(response.url()))
    await sleep(page)
    expect((await begun).status()).toBe(200)
    await expectGoneOn(chat)
    await page.context().close()
  })
})
