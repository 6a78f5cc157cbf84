import { statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { describeDashboard, type DashboardService } from '#test/support/dashboard.ts'

const build = join(import.meta.dirname, '../../../dashboard/dist')
const maxBytes = 200_000

describeDashboard('what a page of the dashboard loads', (open) => {
  let service: DashboardService
  let agent: string

  beforeAll(async () => {
    service = await open()
    const made = await service.call('create_app', { name: 'Shop' })
    agent = `/agents/${String(made.app_name_id)}`
  })

  /** The gzipped size of the scripts of a page on a first visit. */
  async function firstLoad(path: string): Promise<number> {
    const page = await service.visit(path)
    await page.waitForLoadState('networkidle')
    const names = (await page.evaluate(
      `performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)`,
    )) as string[]
    await page.context().close()
    return [...new Set(names)]
      .filter((name) => name.endsWith('.js'))
      .reduce((bytes, name) => bytes + statSync(join(build, `${name}.gz`)).size, 0)
  }

  test('is less than 200 kB of script, on each of them', { timeout: 180_000 }, async () => {
    const ofAgent = [
      'build',
      'build/actions',
      'build/actions/new',
      'build/actions/import',
      'build/variables',
      'build/servers',
      'build/versions',
      'knowledge',
      'share',
      'publish/catalog/products',
      'publish/catalog/orders',
      'publish/catalog/webhooks',
      'publish/catalog/keys',
      'publish/catalog/checkout',
      'analytics/overview',
      'analytics/conversations',
    ].map((path) => `${agent}/${path}`)
    const ofSettings = [
      'workspace',
      'members',
      'developer',
      'connected-apps',
      'providers',
      'billing',
      'audit',
    ].map((path) => `/settings/${path}`)
    for (const path of ['/home', '/agents', '/agents/new', ...ofAgent, ...ofSettings])
      expect(await firstLoad(path), path).toBeLessThan(maxBytes)
  })

  describe('when it is needed, by the keyboard alone:', () => {
    const focused = (page: Page) => page.evaluate('document.activeElement.textContent')

    test('the bundled font is shown, and a menu opens, can be navigated by keyboard and returns the focus', async () => {
      const page = await service.visit('/agents')
      const fonts = `[...document.fonts].map(({ family, status }) => family + ' ' + status)`
      await expect.poll(() => page.evaluate(fonts)).toEqual(['Inter Variable loaded'])
      const account = page.getByRole('button', { name: /^Account/ })
      expect(await account.getAttribute('aria-haspopup')).toBe('menu')
      expect(await account.getAttribute('aria-expanded')).toBe('false')
      await account.focus()
      await page.keyboard.press('ArrowDown')
      await page.getByRole('menu').waitFor()
      await page.keyboard.press('End')
      await expect.poll(() => focused(page)).toBe('Sign out')
      await page.keyboard.press('Escape')
      await page.getByRole('menu').waitFor({ state: 'detached' })
      await expect.poll(() => focused(page)).toContain('Ada')
      await page.keyboard.press('Enter')
      await page.getByRole('menu').waitFor()
    })

    test('a select has its name before its list is loaded, and accepts another value', async () => {
      const page = await service.visit(`${agent}/analytics/overview`)
      const time = page.getByRole('combobox', { name: 'Period' })
      expect(await time.textContent()).toBe('Last 30 days')
      await time.focus()
      await page.keyboard.press('ArrowDown')
      await page.getByRole('option', { name: 'Last 90 days' }).waitFor()
      await page.keyboard.press('End')
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Enter')
      await expect.poll(() => time.textContent()).toBe('Last 90 days')
      await expect.poll(() => focused(page)).toBe('Last 90 days')
    })

    test('a field with suggestions keeps every letter that is typed while they load', async () => {
      const page = await service.visit(`${agent}/build`)
      const model = page.getByRole('combobox', { name: 'Model' })
      await model.focus()
      await page.keyboard.press('Control+A')
      await page.keyboard.type('local/ext')
      await expect.poll(() => model.inputValue()).toBe('local/ext')
      const suggestion = page.getByRole('option', { name: 'local/extractive' })
      await suggestion.waitFor()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await expect.poll(() => model.inputValue()).toBe('local/extractive')
    })
  })
})
