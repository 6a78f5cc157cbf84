import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { addTextSource } from '#features/ingestion/index.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'

const printing = `# Receipt printer

A receipt printer is set up once for each counter. It works without a driver.

## Pair the printer

1. Hold the power button for five seconds.
2. Choose *Add a printer* on the till.
3. Enter the four digits that the printer prints.

\`\`\`
till pair --printer 4711
\`\`\`

The same command pairs a printer from a terminal.
`

const parcels = `# Parcels

A parcel is handed to the carrier on the day of the order.

| Country | Days | Price |
|---|---|---|
| Austria | 2 | 9.50 EUR |
| Iceland | 7 | 24.00 EUR |
| Portugal | 4 | 14.20 EUR |
`

describeDashboard('the built-in model in the test chat', (open) => {
  let service: DashboardService
  let path: string

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', { name: 'Shop', model: 'local/extractive' })
    path = `/agents/${String(agent.app_name_id)}/build`
    for (const [title, text] of Object.entries({ 'Receipt printer': printing, Parcels: parcels }))
      await addTextSource(service.ctx, service.ada.workspaceId, {
        appId: String(agent.id),
        title,
        text,
      })
  })

  /** The page with the answer to one question, which is the last article of the chat. */
  async function answerTo(question: string): Promise<{ page: Page; answer: Locator }> {
    const page = await service.visit(path)
    const chat = page.getByRole('region', { name: 'Test chat' })
    const box = chat.getByLabel('Message')
    await box.fill(question)
    await box.press('Enter')
    await chat.getByText(/in total/).waitFor()
    return { page, answer: chat.getByRole('article').last().locator('.markdown') }
  }

  test('answers with whole sentences', async () => {
    const { page, answer } = await answerTo('Does the receipt printer need a driver?')
    expect(await answer.getByRole('paragraph').last().innerText()).toBe(
      'A receipt printer is set up once for each counter. It works without a driver.',
    )
    await expectSoundLooks(page, 'keyless-sentences')
  })

  test('names the steps before a snippet, and shows no line of code outside of a block', async () => {
    const { page, answer } = await answerTo('How do I pair the printer?')
    const text = await answer.innerText()
    expect(await answer.getByRole('listitem').count()).toBe(3)
    expect(text.indexOf('Hold the power button')).toBeLessThan(text.indexOf('till pair'))
    expect(text.split('till pair')).toHaveLength(2)
    await answer.locator('pre', { hasText: 'till pair --printer 4711' }).waitFor()
    await expectSoundLooks(page, 'keyless-steps')
  })

  test('quotes the row of a table with its header', async () => {
    const { page, answer } = await answerTo('How much does a parcel to Iceland cost?')
    const table = answer.getByRole('table')
    await table.getByRole('columnheader', { name: 'Price' }).waitFor()
    await table.getByRole('row', { name: 'Iceland 7 24.00 EUR' }).waitFor()
    await expectSoundLooks(page, 'keyless-table')
  })

  test('says that it found nothing, without a citation', async () => {
    const { page, answer } = await answerTo('Who painted the Mona Lisa?')
    expect(await answer.innerText()).toContain('I found nothing about that in my knowledge.')
    expect(await page.getByText(/\d+ citation/).count()).toBe(0)
    await expectSoundLooks(page, 'keyless-nothing')
  })

  test('replies to small talk in the language of the user', async () => {
    const { page, answer } = await answerTo('Guten Morgen!')
    expect(await answer.innerText()).toMatch(/^(?:Hallo|Guten)/)
    expect(await page.getByText(/\d+ citation/).count()).toBe(0)
    await expectSoundLooks(page, 'keyless-small-talk')
  })
})
