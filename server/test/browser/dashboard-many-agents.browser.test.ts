import { expect, test } from 'vitest'
import { newId } from '#kernel/ids.ts'
import { storeSession } from '#test/support/chat/chat-history.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'

const phone = { width: 390, height: 844 }
const count = 1000

/** Copies of an agent, newer than it. */
async function copyAgent({ ctx }: DashboardService, id: string): Promise<void> {
  await ctx.db.write(async (tx) => {
    const from = tx.selectFrom('agents').selectAll().where('id', '=', id)
    const agent = await from.executeTakeFirstOrThrow()
    for (let n = 1; n <= count; n += 1) {
      const own = {
        id: newId(),
        number: agent.number + n,
        app_name_id: `shop-${n}-${agent.number + n}`,
      }
      const name = `Shop ${n}`
      const settings_json = JSON.stringify({ ...JSON.parse(agent.settings_json), name })
      const row = { ...agent, ...own, name, settings_json }
      await tx.insertInto('agents').values(row).execute()
    }
  })
}

/** Bounds for a machine that runs other tests meanwhile; a list of 1,000 rows breaks each of them. */
const bounds = { openMs: 6000, filterMs: 4000, longestTaskMs: 500, elements: 1200 } as const

/** Collects how long the page's tasks block it, from now on. */
const watchTasks = `globalThis.tasks = []
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' })`

describeDashboard('a workspace with many agents', (open) => {
  test('is fast: the list opens, filters while one types, and scrolls', async () => {
    const service = await open()
    const made = await service.call('create_app', { name: 'Oldest agent' })
    await copyAgent(service, String(made.id))
    const page = await service.visit('/settings/jobs', { viewport: { width: 1440, height: 900 } })
    const main = page.getByRole('main')
    const rows = main.getByRole('list', { name: 'Agents' }).getByRole('listitem')
    const elements = async () =>
      Number(await page.evaluate('document.querySelectorAll("*").length'))
    const opened = performance.now()
    await page.goto(`${service.baseUrl}/agents`)
    await rows.first().waitFor()
    expect(performance.now() - opened).toBeLessThan(bounds.openMs)
    expect(await elements()).toBeLessThan(bounds.elements)
    await page.evaluate(watchTasks)

    const typed = performance.now()
    await main.getByLabel('Search agents').pressSequentially('shop 777')
    await expect.poll(() => rows.count(), { interval: 20 }).toBe(1)
    expect(performance.now() - typed).toBeLessThan(bounds.filterMs)
    expect(await rows.textContent()).toContain('Shop 777')
    await main.getByLabel('Search agents').fill('')
    await expect.poll(() => rows.count()).toBeGreaterThan(5)

    await main.getByRole('heading', { level: 1 }).hover()
    for (let step = 0; step < 60; step += 1) {
      await page.mouse.wheel(0, 2000)
      await page.evaluate('new Promise(requestAnimationFrame)')
    }
    await expect.poll(() => page.evaluate('scrollY'), { timeout: 20_000 }).toBeGreaterThan(10_000)
    expect(await elements()).toBeLessThan(bounds.elements)
    const tasks = (await page.evaluate('tasks')) as number[]
    expect(Math.max(0, ...tasks)).toBeLessThan(bounds.longestTaskMs)
  })

  test('is found by search, by pins, by the sidebar and by the command palette', async () => {
    const service = await open()
    const made = await service.call('create_app', { name: 'Oldest agent' })
    const oldest = String(made.app_name_id)
    await copyAgent(service, String(made.id))
    const page = await service.visit('/agents', { viewport: { width: 1440, height: 900 } })
    const main = page.getByRole('main')
    const sidebar = page.getByRole('navigation', { name: 'Main' })
    const inSidebar = sidebar.getByRole('link', { name: 'Oldest agent' })

    // Only rows near the viewport are rendered, to the end of the list.
    const rows = main.getByRole('list', { name: 'Agents' }).getByRole('listitem')
    await expect
      .poll(
        async () => {
          await page.keyboard.press('End')
          return await rows.last().textContent()
        },
        { timeout: 60_000, interval: 50 },
      )
      .toContain('Oldest agent')
    expect(await rows.count()).toBeLessThan(40)

    await main.getByLabel('Search agents').fill('oldest')
    await main.getByLabel('Search agents').press('Enter')
    await expect.poll(() => rows.count()).toBe(1)
    expect(await inSidebar.count()).toBe(0)
    await rows.getByRole('link').click()
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
    await page.getByRole('option', { name: /^Shop 7\b/ }).waitFor()
    await expectSoundLooks(page, 'dashboard-palette')
    await field.press('Enter')
    await page.waitForURL(/\/agents\/shop-7-\d+\/build$/)

    // A conversation is found by the beginning of a word, a page of the open agent by its name.
    const shop7 = page.url().split('/').at(-2) ?? ''
    const { id: agentId } = await service.call('get_app', { app_id: shop7 })
    await storeSession(service.ctx.db, {
      workspaceId: service.ada.workspaceId,
      agentId: String(agentId),
      messages: [
        { role: 'user', at: service.ctx.clock.now(), content: 'May a zeppelin land here?' },
      ],
    })
    await page.keyboard.press('Control+k')
    await field.pressSequentially('zepp')
    await page.getByRole('option', { name: /^May a zeppelin land here\?/ }).waitFor()
    await field.fill('knowl')
    await page.getByRole('option', { name: 'Knowledge', exact: true }).waitFor()
    await field.fill('new agent')
    await page.getByRole('option', { name: 'New agent', exact: true }).waitFor()
    await field.fill('versions')
    await page.getByRole('option', { name: /^Versions/ }).click()
    await page.waitForURL(/\/build\/versions$/)
    for (const [typed, name] of [
      ['products', /^Products/],
      ['compare', /^Compare/],
      ['widget', /^Widget/],
      ['password', /^Password/],
      ['limits', /^Limits/],
    ] as const) {
      await page.keyboard.press('Control+k')
      await field.fill(typed)
      await page.getByRole('option', { name }).first().waitFor()
      await field.press('Escape')
    }
    // Without an open agent, conversations of the whole workspace are found.
    await page.goto(`${service.baseUrl}/agents`)
    // The scripts that listen for keys have run.
    await main.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await field.pressSequentially('zepp')
    await page.getByRole('option', { name: /^May a zeppelin land here\?/ }).click()
    await page.waitForURL(/\/analytics\/conversations\//)
    await page.keyboard.press('Control+k')
    await field.fill('account')
    await page.getByRole('option', { name: 'Your account', exact: true }).click()
    await page.getByRole('heading', { name: 'Where you are signed in' }).waitFor()
    await page.goto(`${service.baseUrl}/agents`)
    await main.getByRole('heading', { level: 1 }).waitFor()

    // Settings are two steps away, and so is the documentation.
    await page.keyboard.press('Control+k')
    await field.fill('members')
    await page.getByRole('option', { name: /^Members/ }).waitFor()
    await field.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
    await page.keyboard.press('Control+k')
    await field.fill('backup')
    const [docs] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('option', { name: /^Search the documentation/ }).click(),
    ])
    await docs.getByRole('heading', { name: /^Results for/ }).waitFor()
    await page.keyboard.press('Control+k')
    await field.fill('backup')
    const [backup] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('option', { name: /^Backup/ }).click(),
    ])
    await backup.getByRole('heading', { level: 1, name: 'Backup' }).waitFor()

    await page.setViewportSize(phone)
    await page.goto(`${service.baseUrl}/agents/${oldest}/build`)
    await page.getByRole('button', { name: 'Open navigation' }).click()
    await inSidebar.waitFor()
    await page.keyboard.press('Escape')
    await inSidebar.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Open navigation' }).waitFor()
  })
})
