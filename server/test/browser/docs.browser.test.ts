import { expect, test } from 'vitest'
import { axeViolations } from '#test/support/axe.ts'
import { picture } from '#test/support/browser-service.ts'
import { describeDashboard } from '#test/support/dashboard.ts'

const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const

describeDashboard('the documentation', (open) => {
  test('is reached from a page of the dashboard, searched, and read in both themes and widths', async () => {
    const service = await open()
    const page = await service.visit('/settings/providers', { viewport: sizes.wide })
    const [docs] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: /^Help/ }).click(),
    ])
    const blocked: string[] = []
    docs.on('console', (message) => blocked.push(message.text()))
    await docs.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
    await docs.getByRole('searchbox').fill('continue a conversation')
    await docs.keyboard.press('Enter')
    await docs.getByRole('heading', { level: 1, name: /^Results/ }).waitFor()
    await picture(docs, 'docs-search')
    expect(await axeViolations(docs)).toEqual([])
    await docs.getByRole('main').getByRole('link', { name: 'Starting and continuing' }).click()
    await docs.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor()
    for (const [path, name] of [
      ['/docs', 'start'],
      ['/docs/knowledge', 'page'],
    ] as const)
      for (const [size, viewport] of Object.entries(sizes))
        for (const colorScheme of ['light', 'dark'] as const) {
          await docs.emulateMedia({ colorScheme })
          await docs.setViewportSize(viewport)
          await docs.goto(`${service.baseUrl}${path}`)
          await picture(docs, `docs-${name}-${size}-${colorScheme}`)
          expect(await axeViolations(docs)).toEqual([])
          expect(await docs.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
        }
    await docs.getByText('All pages', { exact: true }).click()
    await docs.getByRole('link', { name: 'Backup and restore' }).click()
    await docs.getByRole('heading', { level: 1, name: 'Backup' }).waitFor()
    expect(blocked).toEqual([])
  })
})
