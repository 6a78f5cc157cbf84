import { beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { storeSession } from '#test/support/chat/chat-history.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'

const main = (page: Page) => page.getByRole('main')

/** A figure's value, and the line below it. */
async function figure(page: Page, name: string): Promise<readonly (string | null)[]> {
  const lines = main(page)
    .locator('dt', { hasText: new RegExp(`^${name}$`) })
    .locator('xpath=../dd')
  return await lines.allTextContents()
}

describeDashboard('the figures of an agent', (open) => {
  let service: DashboardService
  /** Four days; the four days before them are compared. */
  const range = 'from=2025-12-30&to=2026-01-02'

  beforeAll(async () => {
    service = await open()
  })

  async function create(name: string) {
    const { id, app_name_id } = await service.call('create_app', { name })
    const overview = `/agents/${String(app_name_id)}/analytics/overview?${range}`
    const talk = async (day: string, latency_ms: number) => {
      const at = Date.parse(`${day}T09:00:00Z`)
      const answer = { role: 'assistant', content: 'Yes.', model: 'openai/gpt-x' } as const
      return await storeSession(service.ctx.db, {
        workspaceId: service.ada.workspaceId,
        agentId: String(id),
        messages: [
          { role: 'user', at, content: 'Is it open?' },
          { ...answer, at: at + latency_ms, latency_ms, first_token_ms: latency_ms },
        ],
      })
    }
    return { appId: String(id), overview, talk }
  }

  test('that come first have their change since the previous period, and the rest is opened on demand', async () => {
    const { overview, talk } = await create('Busy')
    for (const day of ['2025-12-26', '2025-12-29']) await talk(day, 1000)
    for (const day of ['2025-12-30', '2025-12-31', '2026-01-02']) await talk(day, 500)
    const page = await service.visit(overview)
    await main(page).getByText('Compared with the previous 4 days.').waitFor()
    expect(await figure(page, 'Conversations')).toEqual(['3', 'Up 50% · Previously 2'])
    expect(await figure(page, 'Median answer time')).toEqual([
      '500 ms',
      'Down 50% · Previously 1 sec',
    ])
    expect(await figure(page, 'Not found in knowledge')).toEqual(['0', 'No change'])
    expect(await main(page).locator('dt').count()).toBe(3)
    await main(page).getByText('More figures').click()
    await expect.poll(() => figure(page, 'Messages')).toEqual(['6', 'Previously 4'])
  })

  test('of a chart are a table, which names its periods and the unit of durations', async () => {
    const { overview, talk } = await create('Slow')
    await talk('2026-01-01', 500)
    const page = await service.visit(overview)
    const days = '?from=2026-01-01&to=2026-01-01'
    const weeks = '?from=2025-09-03&to=2026-01-02'
    const months = '?from=2023-01-15&to=2026-01-02'
    for (const [query, period] of [
      [`?${range}`, 'Day'],
      [days, 'Hour'],
      [weeks, 'Week'],
      [months, 'Month'],
    ] as const) {
      await page.goto(`${service.baseUrl}${overview.replace(/\?.*/, query)}`)
      await main(page).getByText('More figures').click()
      const heading = page.getByRole('heading', { name: 'Answer time', exact: true })
      const card = main(page).locator('section', { has: heading })
      await card.getByText('Show as a table').click()
      const table = main(page).getByRole('region', { name: 'Answer time' })
      await table.getByRole('columnheader', { name: period, exact: true }).waitFor()
      // The median and the 95th percentile.
      await expect.poll(() => table.getByRole('cell', { name: /^\d+ ms$/ }).count()).toBe(2)
    }
    await expectSoundLooks(page, 'dashboard-figures-table')
  })

  test('say so if there is nothing to compare them with', async () => {
    const { overview, talk } = await create('New')
    await talk('2026-01-01', 500)
    const page = await service.visit(overview)
    await main(page).getByText('More figures').waitFor()
    expect(await figure(page, 'Median answer time')).toEqual(['500 ms', 'No earlier data'])
    expect(await figure(page, 'Conversations')).toEqual(['1', 'Previously 0'])
  })

  test('are those of what the agent does: it answers, it sells, it acts, it is rated', async () => {
    const { appId, overview, talk } = await create('Tea shop')
    const { id: sessionId, messageIds } = await talk('2026-01-01', 500)
    const page = await service.visit(overview)
    await main(page).getByText('More figures').click()
    await expect.poll(() => figure(page, 'Messages')).toHaveLength(2)
    const special = ['Orders', 'Revenue', 'Action calls', 'Ratings']
    for (const name of special) expect(await figure(page, name)).toEqual([])

    await service.call('upsert_product', { app_id: appId, name: 'Sencha', price_amount: 1290 })
    await service.call('create_custom_action', {
      app_id: appId,
      name: 'find_order',
      description: 'Finds an order',
      method: 'GET',
      url: 'https://api.example.com/orders',
    })
    const rated = { session_id: sessionId, message_id: messageIds[1], rating: 'up' }
    await service.call('rate_answer', rated)
    await page.reload()
    await main(page).getByText('More figures').click()
    await expect.poll(() => figure(page, 'Orders')).toEqual(['0', 'No change'])
    expect(await figure(page, 'Revenue')).toHaveLength(2)
    await expect.poll(() => figure(page, 'Action calls')).toEqual(['0', 'No change'])
    await expect
      .poll(() => figure(page, 'Ratings'))
      .toEqual(['1 up, 0 down', 'Previously 0 up, 0 down'])
    await main(page).getByText('Show as a table').nth(2).waitFor()
    await expectSoundLooks(page, 'dashboard-figures')
  })
})
