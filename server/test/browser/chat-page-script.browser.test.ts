import { SignJWT } from 'jose'
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { json, startActionServer, type ActionServer } from '#test/support/servers/action-server.ts'
import { picture } from '#test/support/browser/browser-service.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { hostWidget, type HostedWidget } from '#test/support/browser/hosted-widget.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'

/** Markup that runs when it becomes an element, with the name of the field that it is in. */
const attack = (field: string) =>
  `${field} <img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>`

/** The same as the name of a file, which has no folders. */
const fileName = `file <img src=x onerror="document.title='hacked'">.md`

const settings = {
  title: attack('title'),
  greeting: attack('greeting'),
  disclaimer: attack('disclaimer'),
  visitor_files: true,
}
const asked = { answer: attack('question'), action: 'Cancel my order' }

describeDashboard('script in every field that a visitor, an editor or a model writes', (open) => {
  let service: DashboardService
  let model: ModelServer
  let api: ActionServer
  let widget: HostedWidget

  beforeAll(async () => {
    api = await startActionServer(json({ canceled: true }))
    model = await startModelServer({
      script: ({ body }) => {
        const messages = body.messages as readonly { content: string }[]
        if (messages.at(-1)?.content === asked.action)
          return {
            reply: '',
            toolCalls: [
              { name: 'cancel', arguments: { note: { [attack('argument')]: attack('value') } } },
            ],
          }
        // What the prompt says about the person comes back in the answer.
        const prompt = messages[0]?.content ?? ''
        const claim = /You help (.*<\/script>)/.exec(prompt)?.[1] ?? 'nobody'
        return { reply: `${attack('answer')} for ${claim} as written [1].` }
      },
    })
    service = await open({
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.baseUrl,
      OUTBOUND_ALLOW_PRIVATE: '127.0.0.1',
    })
    widget = await hostWidget(service, {
      name: 'Desk',
      model: 'openai/gpt-4o',
      system_prompt: 'You help {{user.name}}',
      suggestions: [attack('suggestion')],
    })
    const { appId: app_id } = widget
    await service.call('add_knowledge_source', {
      app_id,
      title: attack('source'),
      text: `# ${attack('heading')}\n\nThe question: ${attack('passage')} is answered here.`,
    })
    await service.call('create_custom_action', {
      app_id,
      name: 'cancel',
      title: attack('action'),
      description: 'Cancels an order',
      method: 'POST',
      url: api.origin,
      requires_confirmation: true,
      // Names of arguments have letters and digits alone; those within a value have what the model writes.
      parameters: [{ in: 'body', key: 'note', type: 'object', required: true }],
    })
    await widget.change(settings)
  })
  afterAll(() => model.stop())

  const identityOf = async () => {
    const { secret } = await service.call('rotate_identity_secret', { app_id: widget.appId })
    return await new SignJWT({ sub: attack('subject'), name: attack('claim') })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime(Math.floor(service.ctx.clock.now() / 1000) + 300)
      .sign(new TextEncoder().encode(String(secret)))
  }
  /** The texts are shown as they were written, and nothing of them is an element. */
  const expectText = async (shown: Page | Frame, fields: readonly string[]) => {
    for (const field of fields)
      await shown
        .getByText(attack(field).slice(0, field.length + 20))
        .first()
        .waitFor()
    expect(
      await shown.locator('img[src="x"], script:not([src], [type="application/json"])').count(),
    ).toBe(0)
    expect(await shown.evaluate('document.title')).not.toBe('hacked')
  }
  const complaintsOf = (page: Page) => {
    const complaints: string[] = []
    page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    return complaints
  }

  test('is text in the name of the agent: on the page, in its title, in the app and on the host', async () => {
    const name = attack('name')
    const { appId: app_id } = widget
    await service.call('update_app', { app_id, name, greeting: attack('own greeting') })
    const link = `https://example.com/?"><img src=x onerror=alert(1)><script>alert(1)</script>`
    await widget.change({ title: '', greeting: '', imprint_url: link, privacy_url: link })
    const { url, imprint_url, privacy_url } = await service.call('get_chat_page', { app_id })
    const page = await service.page({ locale: 'en-GB' })
    const complaints = complaintsOf(page)
    await page.goto(String(url))
    await expectText(page, ['name', 'own greeting', 'suggestion', 'disclaimer'])
    expect(await page.title()).toBe(name)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(name)
    const imprint = page.getByRole('link', { name: 'Legal notice' })
    expect(await imprint.getAttribute('href')).toBe(imprint_url)
    const privacy = page.getByRole('link', { name: 'Privacy' })
    expect(await privacy.getAttribute('href')).toBe(privacy_url)
    // The page says nothing to programs that preview links.
    expect(await page.locator('meta[property]').count()).toBe(0)
    await picture(page, 'chat-page-script')

    await page.goto(`${String(url)}/app`)
    const framed = page.frameLocator('iframe')
    await framed.getByRole('heading', { name: 'name <img' }).waitFor()
    expect(await page.title()).toBe(name)
    expect(await page.locator('iframe').getAttribute('title')).toBe(name)
    expect(await page.locator('body > *').count()).toBe(2)
    const cdp = await page.context().newCDPSession(page)
    const { data, errors } = await cdp.send('Page.getAppManifest')
    expect(errors).toEqual([])
    expect(JSON.parse(data ?? '')).toMatchObject({ name })
    await page.goto(`${String(url)}/icon.svg`)
    expect(await page.locator('script, img').count()).toBe(0)

    await widget.visit(page)
    const button = widget.launcher(page)
    expect(await button.getAttribute('aria-label')).toBe(`Open the chat: ${name}`)
    await button.click()
    const chat = await widget.chat(page)
    await expectText(chat, ['name', 'own greeting'])
    expect(await page.locator('iframe').getAttribute('title')).toBe(name)
    await expectText(page, [])
    expect(complaints).toEqual([])
    await page.context().close()
    await service.call('update_app', { app_id, name: 'Desk' })
    await widget.change(settings)
  })

  test('is text for the visitor, and for those who read the conversation', async () => {
    const page = await service.page({ locale: 'en-GB' })
    const complaints = complaintsOf(page)
    await widget.visit(page)
    await widget.launcher(page).click()
    const chat = await widget.chat(page)
    await expectText(chat, ['title', 'greeting', 'suggestion', 'disclaimer'])
    await page.evaluate(
      `new Promise((done, fail) => { parley('on', 'identified', done); parley('on', 'error', fail); parley('identify', '${await identityOf()}') })`,
    )
    const file = { name: fileName, mimeType: 'text/markdown', buffer: Buffer.from(attack('text')) }
    await chat.locator('input[type=file]').setInputFiles(file)
    await chat.locator('#files').getByText('file <img').waitFor()
    await expectText(chat, [])
    const message = chat.getByLabel('Write a message')
    await message.fill(asked.answer)
    await message.press('Enter')
    await chat.locator('summary').click()
    await chat.locator('.question').getByText('file <img').waitFor()
    await expectText(chat, ['question', 'answer', 'claim', 'source', 'heading', 'passage'])
    await chat.getByRole('button', { name: 'Not helpful' }).click()
    await chat.getByPlaceholder('What was missing? (optional)').fill(attack('comment'))
    await page.keyboard.press('Enter')
    await chat.getByText('Thank you').waitFor()
    await message.fill(asked.action)
    await message.press('Enter')
    await chat.locator('.card').waitFor()
    await expectText(chat, ['action', 'argument', 'value'])
    await picture(page, 'widget-script')
    await chat.getByRole('button', { name: 'Conversations' }).click()
    await chat.getByRole('dialog').getByText('question <img').waitFor()
    await expectText(chat, [])
    await expectText(page, [])
    expect(complaints).toEqual([])
    await page.context().close()

    const { items } = await service.call('list_conversations', { app_id: widget.appId })
    const [{ id } = { id: '' }] = items as readonly { id: string }[]
    const { app_name_id: name } = await service.call('get_app', { app_id: widget.appId })
    const path = `/agents/${String(name)}/analytics/conversations`
    const day = new Date(service.ctx.clock.now()).toISOString().slice(0, 10)
    const reader = await service.visit(`${path}?from=${day}&to=${day}`)
    const found = complaintsOf(reader)
    await expectText(reader, ['question'])
    await reader.goto(`${service.baseUrl}${path}/${id}`)
    await reader.getByText('comment <img').waitFor()
    await reader.evaluate(
      `document.querySelectorAll('main summary, main [aria-expanded=false]').forEach((one) => one.click())`,
    )
    // The renderer of Markdown leaves markup out of questions and answers.
    await expectText(reader, ['subject', 'comment', 'source', 'action', 'argument', 'value'])
    await picture(reader, 'dashboard-script')
    expect(found).toEqual([])
    await reader.context().close()
  })
})
