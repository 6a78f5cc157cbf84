import { beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { storeSession } from '#test/support/chat/chat-history.ts'
import { dropFile } from '#test/support/copied-examples.ts'
import { describeDashboard, expectSound } from '#test/support/browser/dashboard.ts'
import { startModelServer } from '#test/support/servers/model-server.ts'
import { runIngestion } from '#test/support/knowledge/run-ingestion.ts'
import { makePdf } from '#test/support/knowledge/sample-documents.ts'
import { startSite } from '#test/support/servers/site-server.ts'

describeDashboard('the Knowledge tab of an agent', (open) => {
  let service: Awaited<ReturnType<typeof open>>
  let appId: string
  let path: string

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', { name: 'Clinic' })
    appId = String(agent.id)
    path = `/agents/${String(agent.app_name_id)}/knowledge`
  })

  const main = (page: Page) => page.getByRole('main')
  const sources = (page: Page) => main(page).getByRole('list', { name: 'Sources' })

  test('names the next step while there are no sources', async () => {
    await expectSound(service, 'knowledge-empty', path, (page) =>
      page.getByText('Drop a document above').waitFor(),
    )
  })

  test('a dropped PDF is read, and a search shows its passage, page and ranking', async () => {
    const page = await service.visit(path)
    await dropFile(page, 'parking.pdf', makePdf(['Welcome.', 'Parking is behind the building.']))
    const row = sources(page).getByRole('listitem').filter({ hasText: 'parking' })
    await row.getByText('Waiting').first().waitFor()
    await runIngestion(service)
    await row.getByText('Ready').waitFor()

    await page.getByLabel('Question or words').fill('Where is parking?')
    await page.getByRole('button', { name: 'Search' }).click()
    await main(page).getByText('Parking is behind the building.').waitFor()
    await main(page).getByText('Page 2').waitFor()
    await main(page)
      .getByText(/Words: rank 1 \(.*park/)
      .waitFor()
    expect(new URL(page.url()).searchParams.get('q')).toBe('Where is parking?')
    await page.reload()
    await main(page).getByText('Parking is behind the building.').waitFor()
  })

  test('a text is found immediately, and its form keeps the input after a reload', async () => {
    const page = await service.visit(`${path}?add=text`)
    await page.getByLabel('Title').fill('Opening hours')
    await page.getByLabel('Text', { exact: true }).fill('We open at nine and close at five.')
    await page.reload()
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
    await sources(page).getByText('Opening hours').waitFor()
    await page.getByLabel('Question or words').fill('when do you close')
    await page.getByRole('button', { name: 'Search' }).click()
    await main(page).getByText('We open at nine and close at five.').waitFor()
  })

  test('a file or source that cannot be read says why in plain words', async () => {
    const page = await service.visit(path)
    await dropFile(page, 'nothing.txt', Buffer.alloc(0))
    await page.getByText('This file is empty.').waitFor()
    await dropFile(page, 'archive.zip', Buffer.from('PK'))
    await page.getByRole('list', { name: 'Uploads' }).getByRole('alert').nth(1).waitFor()
    await dropFile(page, 'broken.pdf', Buffer.from('%PDF-1.4 no more than that'))
    const row = sources(page).getByRole('listitem').filter({ hasText: 'broken' })
    await row.getByText('Waiting').first().waitFor()
    await runIngestion(service)
    await row.getByText('The document is damaged').waitFor()
    await row.getByText('Failed').waitFor()
  })

  test('only a text that failed can be read again', async () => {
    const text = { app_id: appId, title: 'Holidays', text: 'We are closed on Sundays.' }
    const { id } = await service.call('add_knowledge_source', text)
    const page = await service.visit(path)
    const row = sources(page).getByRole('listitem').filter({ hasText: 'Holidays' })
    const again = page.getByRole('menuitem', { name: 'Read again now' })
    await row.getByRole('button', { name: 'More options for Holidays' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).waitFor()
    expect(await again.count()).toBe(0)
    await service.ctx.db.write((tx) =>
      tx
        .updateTable('knowledge_sources')
        .set({ status: 'failed', error_code: 'interrupted' })
        .where('id', '=', String(id))
        .execute(),
    )
    await page.reload()
    await row.getByText('Failed').waitFor()
    await row.getByRole('button', { name: 'More options for Holidays' }).click()
    await again.click()
    await row.getByText('Waiting').first().waitFor()
    await runIngestion(service)
    await row.getByText('Ready').waitFor()
  })

  test('a page at a private address is refused, and its source says so', async () => {
    const page = await service.visit(`${path}?add=pages`)
    await page.getByLabel('URL').fill('http://127.0.0.1:9/secret')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const row = sources(page).getByRole('listitem').filter({ hasText: '127.0.0.1' })
    await row.getByText('Waiting').first().waitFor()
    await runIngestion(service)
    await row.getByText('is not on the public web').waitFor()
  })

  test('the documents of a site are listed, and pages that could not be read have a reason', async () => {
    const site = await startSite({
      '/': '<title>Home</title><main>Start <a href="/rates">a</a> <a href="/lost">b</a></main>',
      '/rates': '<title>Rates</title><main>A room costs ten euros.</main>',
      '/lost': { status: 500 },
    })
    const reaching = await open({ OUTBOUND_ALLOW_PRIVATE: site.host })
    const agent = await reaching.call('create_app', { name: 'Hotel' })
    const crawl = { app_id: agent.id, kind: 'url', url: `${site.origin}/`, crawl_depth: 1 }
    await reaching.call('add_knowledge_source', crawl)
    await runIngestion(reaching)
    const place = `/agents/${String(agent.app_name_id)}/knowledge`
    const page = await reaching.visit(place)
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    const read = page.getByRole('list', { name: 'Documents' })
    await expect.poll(() => read.getByRole('listitem').count()).toBe(2)
    const failed = page.getByRole('list', { name: 'Could not be read' })
    await failed.getByText(`${site.origin}/lost`).waitFor()
    await failed.getByText('The site could not answer (500).').waitFor()
    await read.getByRole('link', { name: 'Rates', exact: true }).click()
    await page.getByText('A room costs ten euros.').waitFor()
    await page.reload()
    await page.getByText('A room costs ten euros.').waitFor()
    const opened = new URL(page.url())
    await expectSound(reaching, 'source-site', opened.pathname + opened.search, (shown) =>
      shown.getByText('A room costs ten euros.').waitFor(),
    )
    await site.stop()
  })

  test('a citation opens its source at the passage, and an edited text is read again', async () => {
    const model = await startModelServer({ reply: ['Tea costs two euros [1].'] })
    const priced = await open({ OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'sk-x' })
    const agent = await priced.call('create_app', { name: 'Café', model: 'openai/gpt-5.2' })
    const rows = '| Drink | Price |\n|---|---|\n| Tea | 2 € |\n| Milk | 1 € |'
    const text = `# Opening\n\nWe open at nine.\n\n# Prices\n\n${rows}`
    const input = { app_id: agent.id, title: 'Menu', text }
    const { id } = await priced.call('add_knowledge_source', input)
    const place = `/agents/${String(agent.app_name_id)}`
    const page = await priced.visit(`${place}/build`)
    await page
      .getByRole('textbox', { name: 'Message', exact: true })
      .fill('What does tea cost, and what is its price?')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: '[1]' }).click()
    const cited = page.locator('[aria-current=true]').filter({ hasText: 'Cited passage' })
    await cited.getByRole('cell', { name: '2 €' }).waitFor()
    await cited.getByRole('columnheader', { name: 'Price' }).waitFor()
    expect(await cited.getByText('We open at nine.').count()).toBe(0)
    const opened = new URL(page.url())
    expect(opened.pathname).toBe(`${place}/knowledge/${String(id)}`)
    await expectSound(priced, 'source-cited', opened.pathname + opened.search, (shown) =>
      shown.getByRole('cell', { name: 'Tea' }).waitFor(),
    )
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill('Menu of tea')
    expect(await dialog.getByLabel('Text', { exact: true }).inputValue()).toBe(text)
    await dialog.getByLabel('Text', { exact: true }).fill('Tea costs three euros.')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Menu of tea', exact: true }).waitFor()
    await page.getByText('We open at nine.').waitFor()
    await runIngestion(priced)
    await page.getByText('Tea costs three euros.').waitFor()
    await page.getByText('no longer contains the cited passage').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    expect((await download).suggestedFilename()).toBe('Menu of tea.md')
    await expectSound(
      priced,
      'source-edit',
      `${place}/knowledge/${String(id)}?edit=true`,
      (shown) => shown.getByLabel('Text', { exact: true }).waitFor(),
    )
  })

  test('a question without an answer is answered with a source of its own', async () => {
    const at = service.ctx.clock.now()
    await storeSession(service.ctx.db, {
      workspaceId: service.ada.workspaceId,
      agentId: appId,
      messages: [
        { role: 'user', at, content: 'Do you treat cats?' },
        { role: 'assistant', at, content: 'I do not know.', citations_json: '[]' },
      ],
    })
    await expectSound(service, 'knowledge-unanswered', path, (page) =>
      page.getByText('Do you treat cats?', { exact: true }).waitFor(),
    )
    const page = await service.visit(path)
    await page.getByRole('button', { name: 'Answer this: Do you treat cats?' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('Question').inputValue()).toBe('Do you treat cats?')
    await dialog.getByLabel('Answer', { exact: true }).fill('Yes, and dogs.')
    await dialog.getByRole('button', { name: 'Add' }).click()
    const row = sources(page).getByRole('listitem').filter({ hasText: 'Do you treat cats?' })
    await row.getByText('Answer', { exact: true }).waitFor()
    await page.getByRole('list', { name: 'Knowledge had no answer' }).waitFor({ state: 'detached' })
  })

  test('unanswered questions of test chats are listed when the reader includes them', async () => {
    const at = service.ctx.clock.now()
    await storeSession(service.ctx.db, {
      workspaceId: service.ada.workspaceId,
      agentId: appId,
      source: 'dashboard',
      messages: [
        { role: 'user', at, content: 'Do you treat fish?' },
        { role: 'assistant', at, content: 'I do not know.', citations_json: '[]' },
      ],
    })
    const page = await service.visit(path)
    const question = page.getByText('Do you treat fish?', { exact: true })
    const include = page.getByRole('switch', { name: 'Include test chats' })
    await include.waitFor()
    expect(await question.count()).toBe(0)
    await main(page).getByText('Only test chats had such questions.').waitFor()
    await include.click()
    await question.waitFor()
  })

  test('the most frequent unanswered questions are listed first, and the others on demand', async () => {
    const at = service.ctx.clock.now()
    const { id, app_name_id } = await service.call('create_app', { name: 'Unsure' })
    const animals = ['ant', 'bat', 'cow', 'dog', 'elk', 'fox', 'gnu', 'hen', 'ibis', 'jay', 'koi']
    for (const animal of animals)
      await storeSession(service.ctx.db, {
        workspaceId: service.ada.workspaceId,
        agentId: String(id),
        messages: [
          { role: 'user', at, content: `Any ${animal}?` },
          { role: 'assistant', at, content: 'I do not know.', citations_json: '[]' },
        ],
      })
    const page = await service.visit(`/agents/${String(app_name_id)}/knowledge`)
    const rows = page.getByRole('list', { name: 'Knowledge had no answer' }).getByRole('listitem')
    await expect.poll(() => rows.count()).toBe(10)
    await main(page).getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => rows.count()).toBe(11)
    expect(await main(page).getByRole('button', { name: 'Show more' }).count()).toBe(0)
  })

  test('a deleted source can be restored with Undo, and is gone after that', async () => {
    await service.call('add_knowledge_source', { app_id: appId, title: 'Old', text: 'Old news.' })
    const page = await service.visit(path)
    const remove = async () => {
      await page.getByRole('button', { name: 'More options for Old' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await sources(page).getByText('Old', { exact: true }).waitFor({ state: 'detached' })
    }
    await remove()
    await page.getByRole('button', { name: 'Undo' }).click()
    await sources(page).getByText('Old', { exact: true }).waitFor()
    await remove()
    await page.goto(`${service.baseUrl}/agents`)
    await expect.poll(titles, { timeout: 5000 }).not.toContain('Old')
  })

  async function titles(): Promise<string[]> {
    const { items } = (await service.call('list_knowledge_sources', { app_id: appId })) as {
      items: { title: string }[]
    }
    return items.map(({ title }) => title)
  }

  test('is sound with sources in every state, with a search and with its forms', async () => {
    await expectSound(service, 'knowledge', `${path}?q=parking`, (page) =>
      page.getByText('Page 2').waitFor(),
    )
    for (const form of ['text', 'pages'])
      await expectSound(service, `knowledge-${form}`, `${path}?add=${form}`, (page) =>
        page.getByRole('dialog').waitFor(),
      )
  })

  test('a viewer can look and search, but cannot change anything', async () => {
    const viewer = await service.account('Vera', 'viewer')
    const page = await service.visit(`${path}?workspace=${service.ada.workspaceId}`, { as: viewer })
    await sources(page).getByText('Opening hours').waitFor()
    for (const name of [
      'Add text',
      'Add web pages',
      'Choose files',
      'More options for Opening hours',
    ])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
  })
})
