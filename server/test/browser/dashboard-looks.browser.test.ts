import { beforeAll, test } from 'vitest'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { dashboardPages, furnishWorkspace } from '#test/support/browser/furnished-workspace.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'

describeDashboard('every page of the dashboard', (open) => {
  let service: DashboardService
  let addressOf: (page: string) => string

  beforeAll(async () => {
    service = await open()
    addressOf = await furnishWorkspace(service)
  })

  test.each(dashboardPages)('%s has no problem in any look', { timeout: 120_000 }, async (path) => {
    const page = await service.visit(addressOf(path))
    // The browser and the service have the same day.
    await page.clock.setFixedTime(service.ctx.clock.now())
    await page.reload()
    await page.waitForLoadState('networkidle')
    await expectSoundLooks(page, `look${path.replaceAll(/[^a-z]+/g, '-')}`)
    await page.context().close()
  })
})
