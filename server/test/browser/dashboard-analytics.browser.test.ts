import { beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { storeMessages, storeSession } from '#test/support/chat/chat-history.ts'
import { describeDashboard, expectSound } from '#test/support/browser/dashboard.ts'

describeDashboard('the Analytics tab of an agent', (open) => {
  let service: Awaited<ReturnType<typeof open>>
  let appId: string
  let path: string
  /** The days that the conversations below were on. */
  const range = 'from=2025-12-20&to=2026-01-02'

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', { name: 'Clinic' })
    appId = String(agent.id)
    path = `/agents/${String(agent.app_name_id)}/analytics`
    await talk('When do you open?', 'We open at **nine**.', '2026-01-01T09:00:00Z', 'bea')
    await talk(
      'Where is parking?',
      'Behind <img src=x onerror=alert(1)> it.',
      '2025-12-30T09:00:00Z',
    )
  })

  async function talk(question: string, answer: string, at: string, endUser?: string) {
    const begun = Date.parse(at)
    const { id } = await storeSession(service.ctx.db, {
      workspaceId: service.ada.workspaceId,
      agentId: appId,
      endUser: endUser ?? null,
      messages: [
        { role: 'user', at: begun, content: question },
        {
          role: 'assistant',
          at: begun + 900,
          content: answer,
          model: 'openai/gpt-x',
          prompt_tokens: 40,
          completion_tokens: 9,
          latency_ms: 900,
          first_token_ms: 300,
        },
      ],
    })
    return id
  }

  const main = (page: Page) => page.getByRole('main')

  test('the page says when its figures are older than three minutes', async () => {
    const page = await service.visit(`${path}/overview?${range}`)
    await page.clock.install()
    await page.reload()
    await main(page).getByText('Updated just now, and every minute').waitFor()
    await page.clock.runFor(61_000)
    // The figures were fetched again.
    await main(page).getByText('Updated just now, and every minute').waitFor()
    await page.route('**/api/dashboard/**', (route) => route.abort())
    await page.clock.runFor(5 * 60_000)
    const old = main(page).getByText(/^Updated \d minutes ago\. The service has not been reachable/)
    await old.waitFor()
    expect(Number(/\d/.exec((await old.textContent()) ?? '')?.[0])).toBeGreaterThanOrEqual(3)
  })

  test('the figures of a period are those of its conversations, as numbers and as a table', async () => {
    const page = await service.visit(`${path}/overview?${range}`)
    const figure = (name: string) =>
      main(page)
        .locator('dt', { hasText: new RegExp(`^${name}$`) })
        .locator('xpath=../dd[1]')
    await figure('Conversations').waitFor()
    expect(await figure('Conversations').textContent()).toBe('2')
    await main(page).getByText('Updated just now, and every minute').waitFor()
    expect(await figure('Messages').count()).toBe(0)
    await main(page).getByText('More figures').click()
    expect(await figure('Messages').textContent()).toBe('4')
    expect(await figure('End users').textContent()).toBe('1')
    expect(await figure('Tokens').textContent()).toBe('98')
    expect(await figure('Credits').textContent()).toBe('Price not known')
    // The agent sells nothing and has no actions.
    for (const name of ['Orders', 'Revenue', 'Action calls', 'Ratings'])
      expect(await figure(name).count()).toBe(0)
    await main(page).getByText('Show as a table').first().click()
    await main(page).getByRole('cell', { name: '1 Jan' }).waitFor()
    // Days without activity are listed too.
    await main(page).getByRole('cell', { name: '31 Dec' }).waitFor()
    // Questions are counted without case and punctuation.
    await main(page).getByText('When do you open', { exact: true }).waitFor()
    await page.goto(`${service.baseUrl}${path}/overview?from=2026-01-01&to=2026-01-01`)
    await main(page).getByText('More figures').click()
    // One hour of that day has answers, with two durations.
    await expect.poll(() => main(page).locator('circle[fill^="var(--chart"]').count()).toBe(2)
  })

  test('test chats count only when the reader includes them', async () => {
    const agent = await service.call('create_app', { name: 'Tested' })
    const at = Date.parse('2026-01-01T09:00:00Z')
    for (const source of ['dashboard', 'api', 'dashboard'])
      await storeSession(service.ctx.db, {
        workspaceId: service.ada.workspaceId,
        agentId: String(agent.id),
        source,
        messages: [
          { role: 'user', at, content: `Asked by ${source}` },
          { role: 'assistant', at, content: 'Well.' },
        ],
      })
    const address = `/agents/${String(agent.app_name_id)}/analytics`
    const page = await service.visit(`${address}/overview?${range}`)
    const sessions = main(page).locator('dt', { hasText: /^Conversations$/ })
    const counted = sessions.locator('xpath=../dd[1]')
    await main(page).getByText('Asked by api', { exact: true }).waitFor()
    expect(await counted.textContent()).toBe('1')
    expect(await main(page).getByText('Asked by dashboard').count()).toBe(0)
    await main(page).getByRole('switch', { name: 'Include test chats' }).click()
    await main(page).getByText('Asked by dashboard', { exact: true }).waitFor()
    expect(await counted.textContent()).toBe('3')
    await page.reload()
    await main(page).getByRole('switch', { name: 'Include test chats', checked: true }).waitFor()
    // They are marked in the list.
    await page.goto(`${service.baseUrl}${address}/conversations?${range}`)
    const list = main(page).getByRole('list', { name: 'Conversations' })
    await list.getByText('Test chat').first().waitFor()
    expect(await list.getByText('Test chat').count()).toBe(2)
  })

  test('the chosen period is kept in the URL', async () => {
    const page = await service.visit(`${path}/overview`)
    await main(page).getByRole('combobox', { name: 'Period' }).click()
    await page.getByRole('option', { name: 'Last 90 days' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('days')).toBe('90')
    await page.reload()
    await main(page).getByRole('combobox', { name: 'Period' }).getByText('Last 90 days').waitFor()
  })

  test("times and days are those of the reader's zone", async () => {
    const shown = async (timezoneId: string, day: string) => {
      const options = { timezoneId }
      const page = await service.visit(`${path}/conversations?from=${day}&to=${day}`, options)
      const list = main(page).getByRole('list', { name: 'Conversations' })
      await list.getByText('When do you open?').waitFor()
      const time = await list.locator('time').first().textContent()
      await page.context().close()
      return time
    }
    // Both are 09:00 on 1 January in UTC.
    expect(await shown('Asia/Tokyo', '2026-01-01')).toBe('1 Jan 2026, 18:00')
    expect(await shown('Pacific/Honolulu', '2025-12-31')).toBe('31 Dec 2025, 23:00')
  })

  test('weeks and months begin where the service begins them, without extra empty ones', async () => {
    await talk('Are you open in autumn?', 'Yes.', '2025-09-04T09:00:00Z')
    const rows = async (query: string) => {
      const page = await service.visit(`${path}/overview?${query}`)
      await main(page).getByText('Show as a table').first().click()
      const count = await main(page).locator('tbody').first().locator('tr').count()
      await page.context().close()
      return count
    }
    // From a Wednesday: its week, then seventeen Mondays.
    expect(await rows('from=2025-09-03&to=2026-01-02')).toBe(18)
    // Three years would be too many weeks: the rest of January, then 36 months.
    expect(await rows('from=2023-01-15&to=2026-01-02')).toBe(37)
  })

  test('an invalid day in a URL is ignored', async () => {
    const page = await service.visit(`${path}/conversations?from=2026-13-45&to=2026-02-31`)
    await main(page).getByRole('combobox', { name: 'Period' }).getByText('Last 30 days').waitFor()
    await page.goto(`${service.baseUrl}/settings/audit?from=2026-13-45&to=2026-02-31`)
    await main(page).getByRole('list', { name: 'Events' }).waitFor()
  })

  test('a conversation is found by a word in it, opened and shown in full', async () => {
    const page = await service.visit(`${path}/conversations?${range}`)
    const list = main(page).getByRole('list', { name: 'Conversations' })
    await list.getByText('Where is parking?').waitFor()
    const superseded = page.waitForEvent('requestfailed')
    await page.route('**/operations/list_conversations', async (route) => {
      if (route.request().postData()?.includes('"ni"') === true) return
      await route.continue()
    })
    const searched = page.waitForRequest((request) => request.postData()?.includes('"ni"') === true)
    await main(page).getByLabel('Search messages').pressSequentially('ni')
    await searched
    await page.keyboard.type('ne')
    expect((await superseded).postData()).toContain('"ni"')
    await list.getByText('Where is parking?').waitFor({ state: 'detached' })
    await list.getByText('When do you open?').click()
    await main(page).getByRole('heading', { name: 'Conversation', exact: true }).waitFor()
    await main(page).locator('strong', { hasText: 'nine' }).waitFor()
    await main(page).getByText('Answered in 900').waitFor()
    await main(page).getByText('49 tokens').waitFor()

    await main(page).getByRole('button', { name: 'Good answer' }).click()
    await main(page).getByRole('button', { name: 'Good answer', pressed: true }).waitFor()
    await main(page).getByRole('link', { name: 'All conversations' }).click()
    await page.goto(`${service.baseUrl}${path}/conversations?${range}&rating=up`)
    await list.getByText('When do you open?').waitFor()
    expect(await list.getByRole('listitem').count()).toBe(1)
  })

  test('what a model wrote is shown as text and harmless markup, never run as code', async () => {
    const id = await talk(
      'x',
      '<script>alert(1)</script>\n\n[go](javascript:alert(1)) ![p](https://spy.example/p.png)',
      '2026-01-01T10:00:00Z',
    )
    const page = await service.visit(`${path}/conversations/${id}`)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await main(page).getByText('[go](javascript:alert(1))').waitFor()
    expect(await main(page).locator('script, img, a[href^="javascript"]').count()).toBe(0)
    expect(asked.filter((url) => url.includes('spy.example'))).toEqual([])
  })

  test('a conversation of five thousand messages scrolls, and only visible messages are rendered', async () => {
    const begun = Date.parse('2026-01-01T12:00:00Z')
    const messages = Array.from({ length: 5000 }, (_, n) => ({
      role: n % 2 === 0 ? ('user' as const) : ('assistant' as const),
      at: begun + n,
      content: `Message number ${n}, with *some* words in it.`,
    }))
    const place = { workspaceId: service.ada.workspaceId, agentId: appId }
    const piece = 500
    const first = messages.slice(0, piece)
    const { id } = await storeSession(service.ctx.db, { ...place, messages: first })
    for (let from = piece; from < messages.length; from += piece)
      await storeMessages(service.ctx.db, id, from, messages.slice(from, from + piece))
    const page = await service.visit(`${path}/conversations/${id}`)
    const shown = main(page).getByRole('list', { name: 'Messages' })
    await shown.getByText('Message number 0,').waitFor()
    const last = shown.getByText('Message number 4999,')
    const atEnd = async () => {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      return await last.count()
    }
    await expect.poll(atEnd, { timeout: 60_000, interval: 50 }).toBe(1)
    expect(await shown.getByRole('listitem').count()).toBeLessThan(60)
    await page.evaluate('scrollTo(0, 0)')
    await shown.getByText('Message number 0,').waitFor()
  })

  test('conversations are exported as the files that the service writes', async () => {
    const page = await service.visit(`${path}/conversations?${range}`)
    await main(page).getByRole('button', { name: 'Export' }).click()
    const arriving = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'As CSV' }).click()
    const download = await arriving
    expect(download.suggestedFilename()).toBe('conversations.csv')
    const chunks: Buffer[] = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
    expect(Buffer.concat(chunks).toString('utf8')).toContain('When do you open?')
  })

  test("an end user's data is erased after a confirmation", async () => {
    const page = await service.visit(`${path}/conversations?${range}&user=bea`)
    await main(page).getByRole('list', { name: 'Conversations' }).getByText('When do you').click()
    await main(page).getByRole('button', { name: 'Erase this end user’s data' }).click()
    await page.getByRole('dialog').getByText('Erase all data of bea?').waitFor()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Erase this end user’s data' })
      .click()
    await page.getByText('1 conversation was erased').waitFor()
    const { items } = (await service.call('list_conversations', {
      app_id: appId,
      end_user: 'bea',
    })) as { items: unknown[] }
    expect(items).toEqual([])
  })

  test('every section is sound in both themes, wide and at 360 px', async () => {
    await expectSound(service, 'analytics-overview', `${path}/overview?${range}`, async (page) => {
      await main(page).getByText('More figures').click()
      await main(page).getByText('Show as a table').nth(2).waitFor()
    })
    await expectSound(service, 'analytics-empty', `${path}/overview?from=2020-01-01&to=2020-01-02`)
    await expectSound(
      service,
      'analytics-conversations',
      `${path}/conversations?${range}`,
      (page) => main(page).getByText('Where is parking?').waitFor(),
    )
    const id = await talk('Do you sell tea?', 'Yes: **green** and black.', '2026-01-01T11:00:00Z')
    await expectSound(service, 'analytics-conversation', `${path}/conversations/${id}`, (page) =>
      main(page).locator('strong').waitFor(),
    )
  })

  test('a viewer can read figures and conversations, but cannot erase or rate anything', async () => {
    const viewer = await service.account('Vera', 'viewer')
    const id = await talk('Is it warm?', 'Yes.', '2026-01-01T13:00:00Z', 'cara')
    const where = `workspace=${service.ada.workspaceId}`
    const page = await service.visit(`${path}/conversations/${id}?${where}`, { as: viewer })
    await main(page).getByText('Is it warm?').waitFor()
    expect(await page.getByRole('button', { name: 'Erase this end user’s data' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Good answer' }).isDisabled()).toBe(true)
  })
})
