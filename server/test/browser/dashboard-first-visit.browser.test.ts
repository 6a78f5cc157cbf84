import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { addTextSource } from '#features/ingestion/index.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'

const main = (page: Page) => page.getByRole('main')
const phone = { viewport: { width: 360, height: 740 } }

describeDashboard('a person who opens the dashboard for the first time', (open) => {
  let service: DashboardService
  let appId: string
  let agent: string

  beforeAll(async () => {
    service = await open()
    const made = await service.call('create_app', { name: 'Tea shop' })
    appId = String(made.id)
    agent = `/agents/${String(made.app_name_id)}`
  })

  test('is led from a new agent to what it needs: a document, and a model that follows instructions', async () => {
    const page = await service.visit(`${agent}/build`)
    await main(page).getByRole('link', { name: 'Set up a model that follows instructions' }).click()
    await main(page).getByRole('heading', { name: 'Model providers' }).waitFor()
    await page.goBack()
    const chat = page.getByRole('region', { name: 'Test chat' })
    await chat.getByRole('link', { name: 'Add a document' }).click()
    await main(page).getByRole('heading', { level: 1, name: 'Knowledge' }).waitFor()
    const text = { appId, title: 'Returns', text: 'Within 30 days.' }
    await addTextSource(service.ctx, service.ada.workspaceId, text)
    await page.goto(`${service.baseUrl}${agent}/build`)
    await chat.getByText('Send a message to try the agent.').waitFor()
    await page.waitForLoadState('networkidle')
    expect(await chat.getByText('The agent has no knowledge yet.').count()).toBe(0)
    // An error links to the page that fixes it.
    const [model, path] = ['openai/gpt-x', `${service.baseUrl}${agent}/build`]
    await service.call('update_app', { app_id: appId, model })
    await page.goto(path)
    await chat.getByLabel('Message').fill('Hello?')
    await chat.getByRole('button', { name: 'Send' }).click()
    await chat.getByRole('link', { name: 'Open model providers' }).click()
    await main(page).getByRole('heading', { name: 'Model providers' }).waitFor()
    await service.call('update_app', { app_id: appId, model: 'local/extractive' })
  })

  test('learns what to do where there are no conversations yet, and to widen a search without results', async () => {
    const page = await service.visit(`${agent}/analytics/conversations`)
    await main(page).getByText('Chat with the agent on the Build tab').waitFor()
    await page.goto(`${service.baseUrl}${agent}/analytics/overview`)
    await main(page).getByRole('link', { name: 'Chat with the agent' }).click()
    await page.getByRole('region', { name: 'Test chat' }).waitFor()
    await page.goto(`${service.baseUrl}${agent}/analytics/conversations?query=tea`)
    await main(page).getByText('Choose a longer period or clear the filters.').waitFor()
  })

  test('sees the file size limit as the operator set it', async () => {
    const page = await service.visit(`${agent}/knowledge`)
    await main(page).getByText('up to 64 MB each').waitFor()
  })

  test('sees on a phone which page is open, and long names stay within the page', async () => {
    const name = 'cancel_the_order_and_give_back_everything_that_was_paid_for_it'
    const [description, url] = ['Cancels an order', 'https://shop.example.com/cancel']
    const action = { app_id: appId, name, description, method: 'POST', url }
    await service.call('create_custom_action', action)
    const page = await service.visit(`${agent}/build/actions`, phone)
    await main(page).getByText(name).waitFor()
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBe(phone.viewport.width)
    await page.goto(`${service.baseUrl}${agent}/build/versions`)
    const here = main(page).getByRole('link', { name: 'Versions', exact: true })
    await expect
      .poll(async () => {
        const box = await here.boundingBox()
        return (box?.x ?? 0) + (box?.width ?? 0)
      })
      .toBeLessThanOrEqual(phone.viewport.width)
  })

  test('can read everything on a phone: no button covers an example, no date is cut off', async () => {
    const page = await service.visit(`${agent}/share/api`, phone)
    const code = main(page).getByRole('region', { name: 'Example for curl' })
    const copy = main(page).getByRole('button', { name: /Copy Example for curl/ })
    const [words, button] = [await code.locator('code').boundingBox(), await copy.boundingBox()]
    expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(words?.y ?? 0)
    await page.goto(`${service.baseUrl}/settings/members`)
    const since = await main(page)
      .getByText(/^since /)
      .boundingBox()
    // One line of text, not two.
    expect(since?.height ?? 0).toBeLessThan(30)
  })

  test('sees the time zone with the time', async () => {
    const page = await service.visit('/settings/audit', { timezoneId: 'Asia/Tokyo' })
    const time = main(page).locator('time').first()
    expect(await time.getAttribute('title')).toMatch(/\d\d:\d\d:\d\d (?:GMT\+9|JST) \(.+\)$/)
  })

  test('is told, as a viewer, who can do each step, and can do the one that viewers may do', async () => {
    const vera = await service.account('Vera', 'viewer')
    const page = await service.visit(`/home?workspace=${service.ada.workspaceId}`, { as: vera })
    const steps = main(page).getByRole('list', { name: 'First steps' }).getByRole('listitem')
    const texts = (await steps.allTextContents()).join('\n')
    expect(texts.match(/can connect a model/g)).toHaveLength(1)
    expect(texts).toContain('An editor of this workspace can open a chat page')
    const links = main(page).getByRole('list', { name: 'First steps' }).getByRole('link')
    expect(await links.allTextContents()).toEqual(['Open the test chat'])
    await page.context().close()
  })
})
