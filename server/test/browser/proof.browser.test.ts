import { beforeAll, expect, test } from 'vitest'
import type { Frame, Page } from 'playwright-core'
import { picture } from '#test/support/browser/browser-service.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { hostWidget, type HostedWidget } from '#test/support/browser/hosted-widget.ts'

const notice = 'Many messages are arriving. Your browser is checking yours'

describeDashboard('a visitor of an agent that receives many messages', (open) => {
  let service: DashboardService
  let widget: HostedWidget

  beforeAll(async () => {
    service = await open({ VISITOR_PROOF_AT: '1' })
    widget = await hostWidget(service)
    const text = 'The shop opens at nine and closes at six from Monday to Friday.'
    await service.call('add_knowledge_source', { app_id: widget.appId, title: 'Shop', text })
  })

  /** Sends two messages, of which at least the second needs a proof. */
  const chatUnderPressure = async (page: Page, chat: Page | Frame, name: string) => {
    const proofs: number[] = []
    page.on('request', (request) => {
      const sent = request.url().endsWith('/messages') ? request.postDataJSON() : null
      if (sent?.proof !== undefined) proofs.push(String(sent.proof).length)
    })
    const refused: number[] = []
    page.on('response', (response) => {
      if (response.url().endsWith('/messages') && !response.ok()) refused.push(response.status())
    })
    // What stands in the page at any time: the notice may be short.
    await chat.evaluate(`window.shown = []
      new MutationObserver(() => { for (const one of document.querySelectorAll('#messages p')) if (one.checkVisibility()) shown.push(one.textContent) })
        .observe(document.getElementById('messages'), { childList: true, subtree: true })`)
    for (const question of ['When does the shop open?', 'When does it close?']) {
      await chat.getByLabel('Write a message').fill(question)
      await page.keyboard.press('Enter')
      await chat.getByText(question).waitFor()
      await chat.locator('body:not(.busy)').waitFor()
    }
    await picture(page, name)
    const shown = (await chat.evaluate('window.shown')) as string[]
    expect(shown.some((text) => text.startsWith(notice))).toBe(true)
    expect(refused.length).toBeGreaterThan(0)
    expect(proofs.length).toBe(refused.length)
    expect(await chat.getByText('opens at nine').count()).toBeGreaterThan(0)
    // Neither the notice nor an error stays.
    expect(await chat.getByText(notice).count()).toBe(0)
    expect(await chat.locator('.notice').count()).toBe(0)
  }

  test('has a browser that proves its work on the chat page, and sees a notice meanwhile', async () => {
    const page = await service.page({ locale: 'en-GB' })
    const { url } = await service.call('get_chat_page', { app_id: widget.appId })
    await page.goto(String(url))
    await chatUnderPressure(page, page, 'proof-page')
    await page.context().close()
  })

  test('has a browser that proves its work in the widget', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await widget.visit(page)
    const visit = page.waitForResponse((response) => response.url().endsWith('/visit'))
    await widget.launcher(page).click()
    const chat = await widget.chat(page)
    await visit
    await chatUnderPressure(page, chat, 'proof-widget')
    await page.context().close()
  })
})
