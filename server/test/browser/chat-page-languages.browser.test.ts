import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { languageCodes, languageOf } from '#surfaces/public/texts/texts.ts'
import { picture } from '#test/support/browser/browser-service.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'

/** Every text that people read or hear on the page, besides those of the agent. */
const wordsOnPage = `[...new Set([
  ...[...document.querySelectorAll('[aria-label], [title], [placeholder]')].flatMap((one) =>
    ['aria-label', 'title', 'placeholder'].map((name) => one.getAttribute(name))),
  ...[...document.querySelectorAll('label, .small a, .notice, dialog h2, .empty, summary, .unseen')].map(
    (one) => one.textContent.trim()),
].filter((text) => text))]`

describeDashboard('the chat page in the language of the browser', (open) => {
  let service: DashboardService
  let address: string

  beforeAll(async () => {
    service = await open()
    const suggestions = ['When does the shop open?']
    const agent = await service.call('create_app', { name: 'Shop', suggestions })
    const text = 'The shop opens at nine and closes at six from Monday to Friday.'
    await service.call('add_knowledge_source', { app_id: agent.id, title: 'Hours', text })
    const links = { privacy_url: 'https://example.com/a', imprint_url: 'https://example.com/b' }
    const page = { app_id: agent.id, enabled: true, ...links }
    address = String((await service.call('update_chat_page', page)).url)
  })

  const isRightToLeft = (page: Page) =>
    page.evaluate(
      `getComputedStyle(document.body).direction === 'rtl' &&
        document.querySelector('h1').getBoundingClientRect().left >
          document.querySelector('#tools').getBoundingClientRect().left`,
    )

  test.each(languageCodes)('%s: every label is from its catalogue', async (code) => {
    const { texts } = languageOf(code)
    const page = await service.page({ locale: code })
    await page.goto(address)
    expect(await page.title()).toBe('Shop')
    expect(await page.locator('html').getAttribute('lang')).toBe(code)
    const direction = code === 'ar' ? 'rtl' : 'ltr'
    expect(await page.locator('html').getAttribute('dir')).toBe(direction)
    expect(await isRightToLeft(page)).toBe(code === 'ar')

    await page.getByRole('button', { name: texts.conversations, exact: true }).click()
    await page.getByRole('dialog').getByText(texts.noConversations).waitFor()
    const words = (): Promise<readonly string[]> => page.evaluate(wordsOnPage)
    const seen = new Set(await words())
    await page.keyboard.press('Escape')
    await page.locator('#suggestions button').click()
    await page.getByRole('button', { name: texts.again, exact: true }).waitFor()
    await page.getByRole('button', { name: texts.notHelpful, exact: true }).click()
    await page.getByPlaceholder(texts.commentLabel).waitFor()
    for (const text of await words()) seen.add(text)
    await picture(page, `chat-page-language-${code}`)

    const known = new Set<string>(Object.values(texts))
    const ofAnswer = [`${texts.you}:`, `${texts.sources} (1)`, `1, ${texts.sources}: Hours`]
    const others = [...seen].filter((text) => !known.has(text) && !ofAnswer.includes(text))
    // What screen readers are told at the end is the answer.
    expect(others.filter((text) => !text.includes('opens at nine'))).toEqual([])
    const wanted = ['newChat', 'conversations', 'print', 'install', 'send', 'placeholder'] as const
    for (const key of [...wanted, 'privacy', 'imprint', 'copy', 'helpful', 'notHelpful'] as const)
      expect([...seen], key).toContain(texts[key])

    const gone = await page.goto(`${new URL(address).origin}/chat/nothing-1`)
    expect(gone?.status()).toBe(404)
    expect(await page.title()).toBe(texts.unavailable)
    await page.getByText(texts.unavailable).waitFor()
    await page.context().close()
  })

  test('there are twelve, and English for everybody else', async () => {
    expect(languageCodes).toHaveLength(12)
    const page = await service.page({ locale: 'fi-FI' })
    await page.goto(address)
    await page.getByLabel(languageOf('en').texts.placeholder).waitFor()
    await page.context().close()
  })
})
