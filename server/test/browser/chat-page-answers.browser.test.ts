import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { json, startActionServer, type ActionServer } from '#test/support/servers/action-server.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'

const slow = { reply: Array.from({ length: 200 }, (_, n) => `word${n} `), chunkMs: 50 }
const formatted = { reply: '## Hours\n\nWe **open** at `nine`.\n\n- *Daily*' }
const cancelling = { reply: '', toolCalls: [{ name: 'cancel', arguments: { order_id: 42 } }] }

/** Collects what a screen reader is told, from now on. */
const listen = `globalThis.heard = []
  new MutationObserver(() => heard.push(document.querySelector('#status').textContent))
    .observe(document.querySelector('#status'), { childList: true, characterData: true, subtree: true })`

describeDashboard('answers on a chat page', (open) => {
  let service: DashboardService
  let model: ModelServer
  let api: ActionServer
  let address: string

  beforeAll(async () => {
    api = await startActionServer(json({ canceled: true }))
    model = await startModelServer({
      script: ({ body }) => {
        const last = JSON.stringify(body.messages).slice(-60)
        if (last.endsWith('"Slowly"}]')) return slow
        if (last.endsWith('"Formatted"}]')) return formatted
        return last.endsWith('"Cancel my order"}]') ? cancelling : { reply: ['All ', 'done.'] }
      },
    })
    service = await open({
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.baseUrl,
      OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
    })
    const { id: app_id } = await service.call('create_app', {
      name: 'Desk',
      model: 'openai/gpt-4o',
    })
    await service.call('create_custom_action', {
      app_id,
      name: 'cancel',
      title: 'Cancel order',
      description: 'Cancels an order',
      method: 'POST',
      url: api.origin,
      requires_confirmation: true,
      parameters: [{ in: 'body', key: 'order_id', type: 'integer', required: true }],
    })
    address = String((await service.call('update_chat_page', { app_id, enabled: true })).url)
  })
  afterAll(() => model.stop())

  const type = async (page: Page, text: string) => {
    await page.getByLabel('Write a message').fill(text)
    await page.keyboard.press('Enter')
  }

  test('are written, stopped and asked again with the keyboard alone, and read out once', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await page.goto(address)
    await page.evaluate(listen)
    const message = page.getByLabel('Write a message')
    await message.focus()
    await page.keyboard.type('One line')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('and another')
    expect(await message.inputValue()).toBe('One line\nand another')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Answer again' }).waitFor()
    // Once when the answer begins, and once with all of it: not with each word.
    const heard = (await page.evaluate('heard')) as string[]
    expect(heard).toHaveLength(2)
    expect(heard[1]).toBe('All done.')

    await page.evaluate('heard.length = 0')
    await page.keyboard.type('Slowly')
    await page.keyboard.press('Enter')
    const log = page.locator('#messages')
    await log.getByText(/word20 /).waitFor()
    expect(await page.evaluate('heard')).toHaveLength(1)
    await page.keyboard.press('Escape')
    const incomplete = log.getByText('This answer is incomplete.')
    await incomplete.waitFor()
    await model.requests.at(-1)?.aborted
    expect(await log.textContent()).not.toContain('word199')

    // A part of an answer is stored, and can be rated.
    const helpful = page.getByRole('button', { name: 'Helpful', exact: true }).last()
    await expect
      .poll(async () => {
        const rated = page.waitForResponse((response) => response.url().endsWith('/ratings'))
        await helpful.click()
        return (await rated).ok()
      })
      .toBe(true)

    const again = page.getByRole('button', { name: 'Answer again' }).last()
    await again.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Stop' }).click()
    await expect.poll(() => incomplete.count()).toBe(2)
    expect(await page.locator('.question').allTextContents()).toEqual([
      'You: One line\nand another',
      'You: Slowly',
      'You: Slowly',
    ])
    await page.context().close()
  })

  test('ask for consent to an action aloud in the language of the visitor', async () => {
    api.requests.length = 0
    const page = await service.page({ locale: 'de-DE' })
    await page.goto(address)
    await page.evaluate(listen)
    await page.getByLabel('Nachricht schreiben').fill('Cancel my order')
    await page.keyboard.press('Enter')
    await page.locator('.card').waitFor()
    // The question of the text is in English, and the card asks it in the language of the visitor.
    await expect.poll(() => page.evaluate('heard.at(-1)')).toBe('All done.\nBitte bestätigen')
    await page.context().close()
  })

  test('are read out as words, without marks of Markdown or numbers of sources', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await page.goto(address)
    await page.evaluate(listen)
    await type(page, 'Formatted')
    await page.locator('.actions').waitFor()
    await expect.poll(() => page.evaluate('heard.at(-1)')).toBe('Hours\nWe open at nine.\nDaily')
    await page.context().close()
  })

  test('keep the rating that is stored if another one cannot be', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await page.goto(address)
    await type(page, 'One line')
    const up = page.getByRole('button', { name: 'Helpful', exact: true })
    const down = page.getByRole('button', { name: 'Not helpful' })
    await up.click()
    await page.route('**/ratings', (route) => route.abort('internetdisconnected'))
    await down.click()
    await page.getByRole('alert').getByText('There is no connection.').waitFor()
    expect(await up.getAttribute('aria-pressed')).toBe('true')
    expect(await down.getAttribute('aria-pressed')).toBe('false')
    await page.unroute('**/ratings')
    await down.click()
    const comment = page.getByLabel('What was missing?')
    await comment.fill('The prices')
    await page.route('**/ratings', (route) => route.abort('internetdisconnected'))
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await comment.inputValue()).toBe('The prices')
    await page.unroute('**/ratings')
    await comment.press('Enter')
    const thanks = page.getByText('Thank you')
    await thanks.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Thank you')
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.context().close()
  })

  test('ask before an action changes something, on a card with its values', async () => {
    api.requests.length = 0
    const page = await service.page({ locale: 'en-GB' })
    await page.goto(address)
    await type(page, 'Cancel my order')
    const card = page.locator('.card')
    await card.getByText('Cancel order').waitFor()
    await card.getByText('42').waitFor()
    // The card says it; the text does not say it again.
    expect(await page.locator('#messages').textContent()).not.toContain('To go ahead')
    await expectSoundLooks(page, 'chat-page-card')
    await page.getByRole('button', { name: 'Do not do it' }).click()
    await card.waitFor({ state: 'detached' })
    await page.locator('.question').nth(1).waitFor()
    await expect.poll(() => page.locator('.actions').count()).toBe(2)
    expect(api.requests).toHaveLength(0)
    await page.getByRole('button', { name: 'New conversation' }).click()
    await type(page, 'Cancel my order')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.locator('.card').waitFor({ state: 'detached' })
    // Whoever uses the keyboard is still where the answer appears.
    expect(await page.evaluate('document.activeElement.id')).toBe('log')
    await expect.poll(() => api.requests.length).toBe(1)
    expect(api.requests.map(({ method, body }) => [method, body])).toEqual([
      ['POST', '{"order_id":42}'],
    ])
    await page.context().close()
  })
})
