import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'

describeDashboard('the command palette', (open) => {
  let service: DashboardService

  beforeAll(async () => {
    service = await open()
  })

  const field = (page: Page) => page.getByRole('combobox', { name: /^Find an agent/ })

  test('the word settings leads to the settings of the workspace, and of the open agent', async () => {
    const page = await service.visit('/agents')
    await page.keyboard.press('Meta+k')
    await field(page).fill('settings')
    await page.getByRole('option', { name: /^Workspace\b/ }).waitFor()
    await expectSoundLooks(page, 'dashboard-palette-settings')
    await field(page).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Workspace' }).waitFor()

    const agent = await service.call('create_app', { name: 'Clinic' })
    await page.goto(`${service.baseUrl}/agents/${String(agent.app_name_id)}/knowledge`)
    await page.getByRole('heading', { level: 1, name: 'Knowledge' }).waitFor()
    await page.keyboard.press('Control+k')
    await field(page).fill('settings')
    await page.getByRole('option', { name: /^Settings.*Build$/ }).waitFor()
    await field(page).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Build' }).waitFor()
  })

  test.each([
    { browser: 'most browsers', sent: 'isComposing: true' },
    { browser: 'Safari', sent: 'keyCode: 229' },
  ])('an Enter that ends the input of a word in $browser chooses no result', async ({ sent }) => {
    const page = await service.visit('/agents')
    await page.keyboard.press('Control+k')
    await field(page).fill('members')
    await page.getByRole('option', { name: /^Members\b/ }).waitFor()
    await field(page).evaluate(
      `(one) => one.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, ${sent} }))`,
    )
    // The next Enter is the reader's: one that had chosen already would have closed the palette.
    await field(page).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
    await page.goBack()
    await page.waitForURL(/\/agents$/)
  })

  test('messages are searched when typing pauses, not at every letter', async () => {
    const page = await service.visit('/agents')
    const searched: unknown[] = []
    page.on('request', (request) => {
      if (!request.url().endsWith('/find_conversations')) return
      searched.push((request.postDataJSON() as { query: string }).query)
    })
    await page.clock.install()
    await page.keyboard.press('Control+k')
    await field(page).waitFor()
    await page.clock.pauseAt(new Date(Date.now() + 60_000))
    await field(page).pressSequentially('zeppelin')
    expect(searched).toEqual([])
    await page.clock.resume()
    await expect.poll(() => searched).toEqual(['zeppelin'])
  })
})
