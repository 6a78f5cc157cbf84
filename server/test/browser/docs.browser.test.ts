import { expect, test } from 'vitest'
import { describeDashboard } from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'

const wide = { width: 1440, height: 900 }
const narrow = { width: 390, height: 844 }

describeDashboard('the documentation', (open) => {
  test('is reached from a page of the dashboard, searched, and read in both themes and widths', async () => {
    const service = await open()
    const page = await service.visit('/settings/providers', { viewport: wide })
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
    await expectSoundLooks(docs, 'docs-search')
    await docs.getByRole('main').getByRole('link', { name: 'Starting and continuing' }).click()
    await docs.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor()
    for (const [path, name] of [
      ['/docs', 'start'],
      ['/docs/knowledge', 'page'],
    ] as const) {
      await docs.goto(`${service.baseUrl}${path}`)
      await expectSoundLooks(docs, `docs-${name}`)
    }
    await docs.setViewportSize(narrow)
    await docs.getByText('All pages', { exact: true }).click()
    await docs.getByRole('link', { name: 'Backup and restore' }).click()
    await docs.getByRole('heading', { level: 1, name: 'Backup' }).waitFor()
    expect(blocked).toEqual([])
  })
})
