import { beforeAll, expect, test } from 'vitest'
import { addTextSource } from '#features/ingestion/index.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'

const controlsUnderNotifications = `(() => {
  const shown = document.querySelector('[aria-label="Notifications"]')
  if (shown.childElementCount === 0) throw new Error('there is no notification')
  // What is scrolled under the header of a narrow screen is covered by it, not by a notification.
  const bar = document.querySelector('header.sticky')
  const { bottom } = bar.getBoundingClientRect()
  const controls = document.querySelectorAll('a, button, input, textarea, [role=tab]')
  return Array.from(controls)
    .filter((control) => !shown.contains(control))
    .filter((control) => {
      const { x, y, width, height } = control.getBoundingClientRect()
      const isUnderHeader = !bar.contains(control) && y + height / 2 < bottom
      return !isUnderHeader && shown.contains(document.elementFromPoint(x + width / 2, y + height / 2))
    })
    .map((control) => control.outerHTML)
})()`

const countOfNotifications = `document.querySelector('[aria-label="Notifications"] > div').childElementCount`

const pages = ['build', 'knowledge', 'publish/catalog/products'] as const
const screens = [
  { screen: 'wide', width: 1440, height: 900 },
  { screen: 'narrow', width: 390, height: 844 },
] as const

describeDashboard('notifications', (open) => {
  let service: DashboardService
  let agent: string

  beforeAll(async () => {
    service = await open()
    const { id, app_name_id } = await service.call('create_app', { name: 'Tea shop' })
    agent = `/agents/${String(app_name_id)}`
    const app_id = String(id)
    await service.call('upsert_product', {
      app_id,
      name: 'Green tea',
      price_amount: 900,
      currency: 'EUR',
    })
    await addTextSource(service.ctx, service.ada.workspaceId, {
      appId: app_id,
      title: 'Returns',
      text: 'Orders can be returned within 30 days.',
    })
  })

  test.each(pages.flatMap((path) => screens.map((screen) => ({ path, ...screen }))))(
    'of which there are three cover no control of the page: $path, $screen',
    async ({ path, screen, ...viewport }) => {
      const page = await service.visit(`${agent}/${path}`, { viewport })
      // Errors stay until they are closed.
      await page.route('**/pin_app', (route) => route.fulfill({ status: 500, body: '' }))
      for (const count of [1, 2, 3]) {
        await page.getByRole('button', { name: 'More options for Tea shop' }).click()
        await page.getByRole('menuitem', { name: 'Pin to the sidebar' }).click()
        await expect.poll(() => page.evaluate(countOfNotifications)).toBe(count)
        await page.getByRole('menu').waitFor({ state: 'detached' })
      }
      await page.evaluate('Promise.allSettled(document.getAnimations().map((one) => one.finished))')
      for (const top of ['0', 'document.body.scrollHeight']) {
        await page.evaluate(`scrollTo(0, ${top})`)
        await expect.poll(() => page.evaluate(controlsUnderNotifications)).toEqual([])
      }
      if (screen === 'wide') await expectSoundLooks(page, `three-notifications-${path.slice(0, 5)}`)
    },
  )
})
