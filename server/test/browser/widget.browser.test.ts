import { beforeAll, expect, test } from 'vitest'
import type { Frame, Page } from 'playwright-core'
import { describeDashboard, type DashboardService } from '#test/support/dashboard.ts'
import { startHostSite, type HostSite } from '#test/support/host-site.ts'

describeDashboard('the widget on a site with a strict policy', (open) => {
  let service: DashboardService
  let host: HostSite
  let key: string
  let appId: string

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', { name: 'Shop assistant', greeting: 'Hello!' })
    appId = String(agent.id)
    const text = 'The shop opens at nine and closes at six from Monday to Friday.'
    await service.call('add_knowledge_source', { app_id: appId, title: 'The shop', text })
    host = startHostSite(service.baseUrl)
    const page = { enabled: true, widget_origins: [host.origin], color: '#0b6e4f' }
    const { widget_key } = await service.call('update_chat_page', { app_id: appId, ...page })
    key = String(widget_key)
  })

  const visit = async (page: Page) => {
    await host.serve(
      page,
      `<script async src="${service.baseUrl}/chat-assets/widget.js" data-key="${key}"></script>`,
    )
    await page.goto(`${host.origin}/prices`)
  }
  const chat = async (page: Page): Promise<Frame> => {
    const frame = await (await page.waitForSelector('iframe', { state: 'attached' })).contentFrame()
    if (frame === null) throw new Error('the widget has no frame')
    return frame
  }
  const launcher = (page: Page) => page.getByRole('button', { name: /^Open the chat/ })

  test('chats, keeps the conversation when the page loads again', async () => {
    const page = await service.page({ locale: 'en-GB' })
    const complaints: string[] = []
    page.on('console', (line) => complaints.push(line.text()))
    await visit(page)
    await launcher(page).click()
    const frame = await chat(page)
    await frame.getByLabel('Write a message').fill('When does the shop open?')
    await page.keyboard.press('Enter')
    await frame.getByRole('button', { name: 'Answer again' }).waitFor()
    await page.reload()
    const again = await chat(page)
    await again.getByRole('button', { name: 'Answer again' }).waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
  })
})
