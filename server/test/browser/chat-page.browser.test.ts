import { beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'
import { expectSoundLooks, looks } from '#test/support/browser/looks.ts'

const text = [
  '# Opening hours',
  'The shop opens at nine and closes at six from Monday to Friday.',
  '# Returns',
  'You can return any article within thirty days if you have the receipt.',
  '# Vouchers',
  'A voucher <img src=x onerror="document.title=1"> is [valid](javascript:alert(1)) for one year.',
].join('\n\n')

describeDashboard('the chat page of an agent', (open) => {
  let service: DashboardService
  let address: string

  beforeAll(async () => {
    service = await open()
    const suggestions = ['When does the shop open?', 'How do I return an article?']
    const greeting = 'Hello! Ask me about the shop.'
    const agent = await service.call('create_app', {
      name: 'Shop assistant',
      greeting,
      suggestions,
    })
    await service.call('add_knowledge_source', { app_id: agent.id, title: 'The shop', text })
    const page = { enabled: true, color: '#0b6e4f', privacy_url: 'https://example.com/privacy' }
    const disclaimer = 'Answers are written by a program and may be wrong.'
    const { url } = await service.call('update_chat_page', {
      app_id: agent.id,
      ...page,
      disclaimer,
    })
    address = String(url)
  })

  const ask = async (page: Page, question: string) => {
    await page.getByLabel('Write a message').fill(question)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Answer again' }).last().waitFor()
  }

  test('is switched on by an editor under Share', async () => {
    const agent = await service.call('create_app', { name: 'Help desk' })
    const share = `/agents/${String(agent.app_name_id)}/share`
    const page = await service.visit(`${share}/page`)
    await page.getByText('Switch the page on').click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The chat page is saved').first().waitFor()
    await page.getByRole('link', { name: 'Look', exact: true }).click()
    await page.getByLabel('Note below the message field').fill('Answers may be wrong.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Chat page', exact: true }).click()
    const link = page.getByRole('link', { name: 'Open the page' })
    await page.goto((await link.getAttribute('href')) ?? '')
    await page.getByText('Answers may be wrong.').waitFor()
    await page.context().close()
    await service.call('update_chat_page', {
      app_id: agent.id,
      widget_origins: ['https://www.example.com'],
    })
    await expectSound(service, 'share-chat-page', `${share}/page`, async (shown) => {
      await shown.getByRole('button', { name: 'Preview' }).click()
      await shown.frameLocator('iframe').getByText('Answers may be wrong.').waitFor()
      await shown.getByRole('button', { name: 'QR code' }).click()
      await shown.getByRole('img', { name: /^QR code of/ }).waitFor()
      await shown.getByRole('button', { name: 'Preview' }).click()
    })
    await expectSound(service, 'share-widget', `${share}/widget`, async (shown) => {
      await shown.getByText(/chat-assets\/widget\.js/).waitFor()
      await shown.getByText('No site has loaded the widget yet.').waitFor()
    })
    await expectSound(service, 'share-visitors', `${share}/visitors`, async (shown) => {
      await shown.getByRole('button', { name: 'End all visits' }).waitFor()
    })
  })

  test('is previewed with its new look before it is saved, with warnings about its colours', async () => {
    const agent = await service.call('create_app', { name: 'Painter', greeting: 'Good day' })
    await service.call('update_chat_page', { app_id: agent.id, enabled: true })
    const path = `/agents/${String(agent.app_name_id)}/share/look`
    const choose = async (page: Page) => {
      const preview = page.frameLocator('iframe')
      await preview.getByText('Good day').waitFor()
      await page.getByText('The text is easy to read in all of these colours.').waitFor()
      await page.getByLabel('Title').fill('Paint shop')
      await page.getByLabel('Greeting').fill('Welcome!')
      for (const [name, colour] of [
        ['Colour of the header', '#0b6e4f'],
        ['Background of the light page', '#3a3f4a'],
      ] as const) {
        await page.getByRole('button', { name: `Choose a colour: ${name}` }).click()
        await page.getByLabel(name, { exact: true }).fill(colour)
      }
      await preview.getByText('Welcome!').waitFor()
      await preview.getByRole('heading', { name: 'Paint shop' }).waitFor()
      await page.getByText(/^Text on the light background/).waitFor()
      const frame = await (await page.waitForSelector('iframe')).contentFrame()
      const styleOf = (selector: string) =>
        frame?.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`)
      await expect.poll(() => styleOf('.top')).toBe('rgb(11, 110, 79)')
      await expect.poll(() => styleOf('body')).toBe('rgb(58, 63, 74)')
      await page.getByRole('button', { name: 'Dark', exact: true }).click()
      await expect.poll(() => styleOf('body')).toBe('rgb(21, 23, 28)')
    }
    const visitors = await service.page()
    const { url } = await service.call('get_chat_page', { app_id: agent.id })
    await visitors.goto(String(url))
    await expectSound(service, 'share-look', path, choose)
    // Nothing is saved: visitors see the page as before.
    await visitors.reload()
    await visitors.getByText('Good day').waitFor()
    await visitors.context().close()
  })

  test('answers, shows sources, keeps ratings and conversations, and reaches nothing of the dashboard', async () => {
    const page = await service.visit('/agents')
    const complaints: string[] = []
    page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    const cookies: string[] = []
    page.on('request', async (request) => {
      if (request.url().includes('/chat/') && !request.isNavigationRequest())
        cookies.push((await request.allHeaders()).cookie ?? '')
    })
    await page.goto(address)
    await page.getByRole('button', { name: 'When does the shop open?' }).click()
    await page.getByRole('button', { name: 'Helpful', exact: true }).waitFor()
    await page.getByText('opens at nine').first().waitFor()
    await page.getByRole('button', { name: 'Sources: The shop' }).click()
    await page.getByText('1. The shop').waitFor()
    await page.getByRole('button', { name: 'Not helpful' }).click()
    await page.getByPlaceholder('What was missing? (optional)').fill('the weekend')
    await page.keyboard.press('Enter')
    await page.getByText('Thank you').waitFor()
    expect(complaints).toEqual([])

    // The dashboard's cookies belong to the same address, but the page has an origin of its own.
    const reach = `(async () => {
      const tried = (work) => { try { return String(work()) } catch (error) { return error.name } }
      const answer = await fetch('/api/dashboard/me', { credentials: 'include' }).then((r) => r.status, (e) => e.name)
      return { cookie: tried(() => document.cookie), storage: tried(() => localStorage.length), origin: self.origin, answer }
    })()`
    expect(await page.evaluate(reach)).toEqual({
      cookie: 'SecurityError',
      storage: 'SecurityError',
      origin: 'null',
      answer: 'TypeError',
    })
    expect(cookies.join('')).toBe('')

    await page.reload()
    await page.getByRole('button', { name: 'Conversations' }).click()
    await page.getByRole('dialog').getByText('When does the shop open?').click()
    await page.getByRole('button', { name: 'Not helpful', pressed: true }).waitFor()
    await ask(page, 'How do I return an article?')
    await ask(page, 'How long is a voucher valid?')
    await page.getByText('<img src=x').first().waitFor()
    expect(await page.locator('img, a[href^="javascript"]').count()).toBe(0)
    await page.getByRole('button', { name: 'New conversation' }).click()
    expect(await page.getByRole('article').count()).toBe(0)
    await page.context().close()
  })

  test('greets visitors without JavaScript, and says that it needs it', async () => {
    const page = await service.page({ locale: 'en-GB', javaScriptEnabled: false })
    await page.goto(address)
    await page.getByText('Hello! Ask me about the shop.').waitFor()
    // Texts are not searched in this element.
    const notice = page.locator('noscript .notice')
    await notice.waitFor()
    expect(await notice.innerText()).toBe('This chat needs JavaScript.')
    await page.context().close()
  })

  test('is sound in both themes, on a phone and wide, and from right to left', async () => {
    for (const [locale, seen] of [
      ['en', looks],
      ['ar', looks.filter(({ isChecked }) => isChecked)],
    ] as const) {
      const page = await service.page({ locale })
      await page.goto(address)
      await expectSoundLooks(page, `chat-page-empty-${locale}`, seen)
      await page.locator('#suggestions button').first().click()
      await page.locator('.actions').waitFor()
      await page.locator('summary').click()
      await expectSoundLooks(page, `chat-page-${locale}`, seen)
      await page.context().close()
    }
  })
})
