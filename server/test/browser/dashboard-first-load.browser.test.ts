import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { picture } from '#test/support/browser/browser-service.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { dashboardPages, furnishWorkspace } from '#test/support/browser/furnished-workspace.ts'

const build = join(import.meta.dirname, '../../../dashboard/dist')
const maxBytes = 200_000

/** What the page has received, with the size that each part had on the way. */
const received = `['navigation', 'resource']
  .flatMap((type) => performance.getEntriesByType(type))
  .map(({ name, encodedBodySize }) => ({ path: new URL(name).pathname, sent: encodedBodySize }))`

/**
 * What is no part of a page's first load: the font, and the answers of the API, which grow with a
 * workspace.
 */
const isLeftOut = (path: string) => path.endsWith('.woff2') || path.startsWith('/api/')

interface Received {
  readonly path: string
  readonly sent: number
}

/** The size of a built file as gzip, the larger of its two encodings; of all else as it was sent. */
async function bytesOf({ path, sent }: Received): Promise<number> {
  const { size } = await stat(join(build, `${path}.gz`)).catch(() => ({ size: sent }))
  return size
}

describeDashboard('what a page of the dashboard loads', (open) => {
  let service: DashboardService
  let addressOf: (page: string) => string
  let agent: string

  beforeAll(async () => {
    service = await open()
    addressOf = await furnishWorkspace(service)
    agent = addressOf('/agents/{agent}')
  })

  /** The bytes that a first visit to a page receives. */
  async function firstLoad(path: string): Promise<number> {
    const page = await service.visit(path)
    await page.waitForLoadState('networkidle')
    const all = (await page.evaluate(received)) as Received[] // The expression above.
    const parts = all.filter((part) => !isLeftOut(part.path))
    await page.context().close()
    // The page itself comes first; its style and its scripts are among the rest.
    expect(parts[0]).toEqual({ path, sent: expect.any(Number) })
    for (const end of ['.css', '.js'])
      expect(parts.some((part) => part.path.endsWith(end))).toBe(true)
    const bytes = await Promise.all(parts.map(bytesOf))
    expect(bytes[0]).toBeGreaterThan(0)
    return bytes.reduce((sum, one) => sum + one, 0)
  }

  test('is less than 200 kB without the font, on each of them', { timeout: 240_000 }, async () => {
    const loads = new Map<string, number>()
    for (const page of dashboardPages) loads.set(page, await firstLoad(addressOf(page)))
    const [largest] = [...loads].toSorted(([, one], [, other]) => other - one)
    process.stdout.write(`largest first load: ${largest?.join(', ')} bytes\n`)
    expect(largest?.[1]).toBeLessThan(maxBytes)
  })

  test('begins with the frame of a page, before any script has arrived', async () => {
    const page = await service.visit('/agents')
    const held = Promise.withResolvers<null>()
    await page.route('**/assets/*.js', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.reload({ waitUntil: 'commit' })
    const frame = page.locator('#root > [aria-hidden=true]')
    const bars = frame.locator('.animate-pulse')
    await bars.first().waitFor()
    expect(await bars.count()).toBe(4)
    const painted = `performance.getEntriesByName('first-contentful-paint').length + performance.getEntriesByName('first-paint').length`
    await expect.poll(() => page.evaluate(painted)).toBeGreaterThan(0)
    for (const bar of await bars.all())
      expect((await bar.boundingBox())?.height).toBeGreaterThan(20)
    expect(await page.locator('h1').count()).toBe(0)
    await picture(page, 'dashboard-first-paint')
    held.resolve(null)
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    expect(await frame.count()).toBe(0)
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
