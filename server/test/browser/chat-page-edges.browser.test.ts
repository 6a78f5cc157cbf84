import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Frame, Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { beforeAll, expect, test } from 'vitest'
import { picture } from '#test/support/browser/browser-service.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'

const build = join(import.meta.dirname, '../../../dashboard/dist')
/** Without the font: the page is shown in another one until it has arrived. */
const mostOfFirstLoad = 100_000

/** An image that no compression makes smaller, as large as a logo may be. */
function largestLogo(): string {
  const image = new PNG({ width: 104, height: 104 })
  let noise = 1
  for (let at = 0; at < image.data.length; at += 1) {
    noise = (noise * 48_271) % 2_147_483_647
    image.data[at] = noise & 255
  }
  return `data:image/png;base64,${PNG.sync.write(image).toString('base64')}`
}

/** Of texts, and of quotations. */
const inks = ['rgb(20, 22, 26)', 'rgb(86, 93, 107)']

describeDashboard('the chat page at its edges', (open) => {
  let service: DashboardService
  let address: string
  let appId: string

  beforeAll(async () => {
    service = await open({ LIMITS: 'messages_per_conversation=6' })
    const agent = await service.call('create_app', { name: 'Shop assistant', greeting: 'Hello!' })
    appId = String(agent.id)
    const text = 'The shop opens at nine and closes at six from Monday to Friday.'
    await service.call('add_knowledge_source', { app_id: appId, title: 'The shop', text })
    const page = { app_id: appId, enabled: true, theme: 'dark', header_color: '#0b6e4f' }
    address = String((await service.call('update_chat_page', page)).url)
  })

  const ask = async (page: Page | Frame) => {
    await page.getByLabel('Write a message').fill('When does the shop open?')
    await page.getByLabel('Write a message').press('Enter')
    await page.getByRole('button', { name: 'Answer again' }).last().waitFor()
  }

  test('is printed in dark ink with its sources, whatever its theme', async () => {
    const page = await service.page({ locale: 'en-GB', colorScheme: 'dark' })
    await page.goto(address)
    await ask(page)
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`)
    const inkOf = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`)
    for (const selector of ['.top h1', '.question', '.answer', '.sources blockquote'])
      expect(inks, selector).toContain(await inkOf(selector))
    expect(await page.locator('.sources blockquote').first().isVisible()).toBe(true)
    expect(await page.locator('#composer').isVisible()).toBe(false)
    await picture(page, 'chat-page-print')
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`)
    await page.emulateMedia({ media: 'screen' })
    expect(await page.locator('.sources blockquote').first().isVisible()).toBe(false)
    await page.context().close()
  })

  test('copies an answer, and says so if it cannot', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await page.goto(address)
    await ask(page)
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const message = page.getByLabel('Write a message')
    await message.press('ControlOrMeta+v')
    expect(await message.inputValue()).toContain('opens at nine')

    await page.reload()
    await ask(page)
    await page.evaluate(`{
      document.execCommand = () => false
      Object.defineProperty(navigator, 'clipboard', { value: undefined })
    }`)
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('button', { name: 'Copying failed' }).waitFor()
    expect(await page.getByRole('button', { name: 'Copied' }).count()).toBe(0)
    await page.context().close()
  })

  test('is used with the keyboard alone: its buttons, its dialog and its citations', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await page.goto(address)
    await ask(page)
    const focused = `(document.activeElement.labels?.[0]?.textContent || document.activeElement.getAttribute('aria-label') || document.activeElement.textContent).trim()`
    await page.locator('h1').click()
    const reached: string[] = []
    for (let n = 0; n < 14; n += 1) {
      await page.keyboard.press('Tab')
      reached.push(String(await page.evaluate(focused)))
    }
    const wanted = [
      'New conversation',
      'Conversations',
      'Copy',
      'Helpful',
      'Write a message',
      'Send',
    ]
    expect(reached.filter((name) => wanted.includes(name)).slice(0, wanted.length)).toEqual(wanted)

    await page.getByRole('button', { name: 'Conversations' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('When does the shop open?').waitFor()
    expect(await page.evaluate(`document.activeElement.closest('dialog') !== null`)).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.evaluate(focused)).toBe('Conversations')

    await page.locator('.cite').first().focus()
    await page.keyboard.press('Enter')
    expect(await page.evaluate(`document.activeElement.matches('.sources[open] li')`)).toBe(true)
    await page.context().close()
  })

  test('says that a conversation is full, and begins another one with what was typed', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await page.goto(address)
    for (let answers = 1; answers <= 3; answers += 1) {
      await ask(page)
      await expect.poll(() => page.getByRole('button', { name: 'Helpful', exact: true }).count()).toBe(answers) // prettier-ignore
    }
    const message = page.getByLabel('Write a message')
    await message.fill('And on Sunday?')
    await message.press('Enter')
    await page.getByText('This conversation is full. Begin a new one.').first().waitFor()
    // The same question would be refused again.
    const last = page.getByRole('article').last()
    expect(await last.getByRole('button', { name: 'Answer again' }).count()).toBe(0)
    await expectSoundLooks(page, 'chat-page-full')
    await last.getByRole('button', { name: 'New conversation' }).click()
    expect(await page.getByRole('article').count()).toBe(0)
    expect(await message.inputValue()).toBe('And on Sunday?')
    await message.press('Enter')
    await page.getByRole('button', { name: 'Helpful', exact: true }).waitFor()
    const { items } = await service.call('list_conversations', { app_id: appId, limit: 2 })
    expect(items).toMatchObject([{ message_count: 2 }, { message_count: 6 }])
    await page.context().close()
  })

  test('renews its visit before it ends, without the visitor', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await page.clock.install()
    await page.goto(address)
    await ask(page)
    const renewed = page.waitForResponse((response) => response.url().endsWith('/visit'))
    await page.clock.fastForward('12:30')
    expect((await renewed).status()).toBe(200)
    await ask(page)
    expect(await page.getByRole('article').filter({ hasText: 'opens at nine' }).count()).toBe(2)
    await page.context().close()
  })

  test('is loaded with less than 100 kB, with the largest logo and without the font', async () => {
    const logo = largestLogo()
    expect(logo.length).toBeGreaterThan(55_000)
    await service.call('update_chat_page', { app_id: appId, logo })
    const page = await service.page({ locale: 'en-GB' })
    const loaded: { path: string; bytes: Promise<number> }[] = []
    page.on('requestfinished', (request) => {
      const { protocol, pathname: path } = new URL(request.url())
      if (protocol === 'data:') return
      const sent = request.sizes().then(({ responseBodySize }) => responseBodySize)
      // As gzip, the larger of the two encodings of a built file; the HTML as it was sent.
      const file = join(build, `${path.replace('/chat-assets/', 'chat/')}.gz`)
      loaded.push({
        path,
        bytes: stat(file).then(
          ({ size }) => size,
          () => sent,
        ),
      })
    })
    await page.goto(address, { waitUntil: 'networkidle' })
    await page.getByText('Hello!').waitFor()
    const counted = loaded.filter(({ path }) => !path.endsWith('.woff2'))
    const paths = counted.map(({ path }) => path.split('/').at(-1)).toSorted()
    expect(paths).toEqual(
      [new URL(address).pathname.split('/').at(-1), 'page.css', 'page.js'].toSorted(),
    )
    const sizes = await Promise.all(counted.map(({ bytes }) => bytes))
    const sum = sizes.reduce((one, other) => one + other, 0)
    process.stdout.write(`first load of a chat page: ${sum} bytes\n`)
    expect(Math.min(...sizes)).toBeGreaterThan(1000)
    expect(sum).toBeLessThan(mostOfFirstLoad)
    await page.context().close()
    await service.call('update_chat_page', { app_id: appId, logo: '' })
  })
})
