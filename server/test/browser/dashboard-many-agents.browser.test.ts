import { expect, test } from 'vitest'
import { axeViolations } from '#test/support/axe.ts'
import { picture } from '#test/support/browser-service.ts'
import { describeDashboard } from '#test/support/dashboard.ts'

const phone = { width: 390, height: 844 }

describeDashboard('a workspace with many agents', (open) => {
  test('is found by search, by pins, by the sidebar and by the command palette', async () => {
    const service = await open()
    const made = await service.call('create_app', { name: 'Oldest agent' })
    const oldest = String(made.app_name_id)
    for (let n = 1; n <= 35; n += 1) await service.call('create_app', { name: `Shop ${n}` })
    const page = await service.visit('/agents', { viewport: { width: 1440, height: 900 } })
    const main = page.getByRole('main')
    const sidebar = page.getByRole('navigation', { name: 'Main' })
    const inSidebar = sidebar.getByRole('link', { name: 'Oldest agent' })

    await main.getByLabel('Search agents').fill('oldest')
    await main.getByLabel('Search agents').press('Enter')
    const found = main.getByRole('list', { name: 'Agents' }).getByRole('listitem')
    await expect.poll(() => found.count()).toBe(1)
    expect(await inSidebar.count()).toBe(0)
    await found.getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Build' }).waitFor()
    await inSidebar.waitFor()
    expect(await inSidebar.getAttribute('aria-current')).toBe('page')

    await page.getByRole('button', { name: 'More options for Oldest agent' }).click()
    await page.getByRole('menuitem', { name: 'Pin to the sidebar' }).click()
    await page.goto(`${service.baseUrl}/agents?sort=name`)
    await inSidebar.waitFor()

    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: /^Find an agent/ })
    await field.fill('shop 7')
    await page.getByRole('option', { name: /^Shop 7/ }).waitFor()
    await picture(page, 'dashboard-palette')
    expect(await axeViolations(page)).toEqual([])
    await field.press('Enter')
    await page.waitForURL(/\/agents\/shop-7-\d+\/build$/)

    // Settings are two steps away, and so is the documentation.
    await page.keyboard.press('Control+k')
    await field.fill('members')
    await page.getByRole('option', { name: 'Members', exact: true }).waitFor()
    await field.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
    await page.keyboard.press('Control+k')
    await field.fill('backup')
    await page.getByRole('option', { name: /^Search the documentation/ }).waitFor()
    const [docs] = await Promise.all([page.context().waitForEvent('page'), field.press('Enter')])
    await docs.getByRole('heading', { name: /^Results for/ }).waitFor()

    await page.setViewportSize(phone)
    await page.goto(`${service.baseUrl}/agents/${oldest}/build`)
    await page.getByRole('button', { name: 'Open navigation' }).click()
    await inSidebar.waitFor()
    await page.keyboard.press('Escape')
    await inSidebar.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Open navigation' }).waitFor()
  })
})
