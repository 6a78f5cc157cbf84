import { beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { dropFile } from '#test/support/copied-examples.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { makePdf } from '#test/support/knowledge/sample-documents.ts'

const main = (page: Page) => page.getByRole('main')

/** Bounds for a machine that runs other tests meanwhile. */
const bounds = { openMs: 8000, elements: 1500, longestTaskMs: 700 } as const
const count = 12_000

const watchTasks = `globalThis.tasks = []
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' })`

describeDashboard('the page of a source', (open) => {
  let service: DashboardService
  let appId: string
  let path: string

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', { name: 'Clinic' })
    appId = String(agent.id)
    path = `/agents/${String(agent.app_name_id)}`
  })

  test('opens a cited PDF at its page, in a tab of its own', async () => {
    const page = await service.visit(`${path}/knowledge`)
    await dropFile(page, 'parking.pdf', makePdf(['Welcome.', 'Parking is behind the building.']))
    const row = main(page).getByRole('list', { name: 'Sources' }).getByRole('listitem')
    await row.getByText('Waiting').first().waitFor()
    await runIngestion(service)
    await row.getByText('Ready').waitFor()
    await page.goto(`${service.baseUrl}${path}/build`)
    const chat = page.getByRole('region', { name: 'Test chat' })
    await chat.getByLabel('Message').fill('Where is parking?')
    await chat.getByLabel('Message').press('Enter')
    await chat.getByText('1 citation').click()
    await chat
      .getByRole('link', { name: /parking/ })
      .first()
      .click()
    const cited = main(page).locator('[aria-current=true]')
    await cited.getByText('Parking is behind the building.').waitFor()
    await expectSoundLooks(page, 'dashboard-source-cited-pdf')
    const link = cited.getByRole('link', { name: /^Open the PDF at page 2/ })
    const address = (await link.getAttribute('href')) ?? ''
    expect(address).toMatch(/\/sources\/[0-9a-f-]{36}\/pdf#page=2$/)
    const [shown] = await Promise.all([page.context().waitForEvent('page'), link.click()])
    await shown.waitForLoadState()
    expect(shown.url()).toMatch(/#page=2$/)
    expect(await shown.evaluate('document.contentType')).toBe('application/pdf')
    expect(await shown.evaluate('globalThis.opener')).toBeNull()
    await page.context().close()
  })

  test(`with ${count} chunks is fast, at its beginning and at a cited passage`, async () => {
    const text = 'The first passage of a very long book.'
    const added = await service.call('add_knowledge_source', {
      app_id: appId,
      kind: 'text',
      title: 'Book',
      text,
    })
    await service.ctx.db.write(async (tx) => {
      const first = await tx
        .selectFrom('knowledge_chunks')
        .selectAll()
        .where('source_id', '=', String(added.id))
        .executeTakeFirstOrThrow()
      const { id: _, ...fields } = first
      const rows = Array.from({ length: count - 1 }, (_, at) => ({
        ...fields,
        ordinal: at + 1,
        heading: `Chapter ${Math.floor(at / 100)}`,
        text: `Passage ${at + 1} of the book.\n\n- one\n- **two**\n\nIt goes on for a while, as books do.`,
      }))
      for (let at = 0; at < rows.length; at += 500)
        await tx
          .insertInto('knowledge_chunks')
          .values(rows.slice(at, at + 500))
          .execute()
    })
    const page = await service.visit('/settings/jobs', { viewport: { width: 1440, height: 900 } })
    const elements = async () =>
      Number(await page.evaluate('document.querySelectorAll("*").length'))
    const source = `${service.baseUrl}${path}/knowledge/${String(added.id)}`
    const opened = performance.now()
    await page.goto(source)
    await main(page).getByText(text).waitFor()
    expect(performance.now() - opened).toBeLessThan(bounds.openMs)
    await page.evaluate(watchTasks)
    await main(page).getByRole('heading', { level: 1 }).hover()
    for (let step = 0; step < 60; step += 1) {
      await page.mouse.wheel(0, 2000)
      await page.evaluate('new Promise(requestAnimationFrame)')
    }
    await expect.poll(() => page.evaluate('scrollY'), { timeout: 20_000 }).toBeGreaterThan(10_000)
    expect(await elements()).toBeLessThan(bounds.elements)
    const tasks = (await page.evaluate('tasks')) as number[] // Numbers of the observer above.
    expect(Math.max(0, ...tasks)).toBeLessThan(bounds.longestTaskMs)

    const passage =
      'Passage 9000 of the book.\n\n- one\n- **two**\n\nIt goes on for a while, as books do.'
    const ends = new URLSearchParams({ start: passage.slice(0, 40), end: passage.slice(-40) })
    const cited = performance.now()
    await page.goto(`${source}?${ends}`)
    await main(page).locator('[aria-current=true]').getByText('Passage 9000 of the book.').waitFor()
    expect(performance.now() - cited).toBeLessThan(bounds.openMs)
    expect(await elements()).toBeLessThan(bounds.elements)
    await page.context().close()
  })
})
