import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { startDnsServer, type DnsServer } from '#test/support/servers/dns-server.ts'
import { expectSoundLooks, looks } from '#test/support/browser/looks.ts'
import { startModelServer, type ModelServer } from '#test/support/servers/model-server.ts'

/** A large picture, as a phone takes it: drawn in the browser, because tests keep no such file. */
const photo = `new Promise((resolve) => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 3000, height: 2000 })
  const pen = canvas.getContext('2d')
  for (let n = 0; n < 4000; n += 1) {
    pen.fillStyle = 'hsl(' + ((n * 37) % 360) + ' 70% 50%)'
    pen.fillRect((n * 97) % 3000, (n * 53) % 2000, 90, 90)
  }
  resolve(canvas.toDataURL('image/jpeg', 1))
})`

describeDashboard('files on a chat page', (open) => {
  let service: DashboardService
  let model: ModelServer
  let dns: DnsServer
  let appId: string
  let address: string

  beforeAll(async () => {
    model = await startModelServer({ reply: ['A picture ', 'of colours.'] })
    dns = await startDnsServer()
    service = await open({
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.baseUrl,
      DNS_SERVERS: dns.address,
    })
    const agent = await service.call('create_app', { name: 'Eyes', model: 'openai/gpt-4o' })
    appId = String(agent.id)
    const set = { app_id: appId, enabled: true, visitor_files: true, slug: 'see-it' }
    address = String((await service.call('update_chat_page', set)).url)
  })
  afterAll(async () => {
    await dns.stop()
    await model.stop()
  })

  const attach = async (page: Page, ...files: { name: string; type: string; bytes: Buffer }[]) => {
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Attach files' }).click()
    const sent = files.map(({ name, type, bytes }) => ({ name, mimeType: type, buffer: bytes }))
    await (await chooser).setFiles(sent)
  }
  const note = (text = 'The door is green.', name = 'note.md') => ({
    name,
    type: 'text/markdown',
    bytes: Buffer.from(text),
  })

  test('are chosen, made smaller, shown, removed, sent and answered', async () => {
    const page = await service.page({ locale: 'en-GB' })
    const complaints: string[] = []
    page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()))
    await page.goto(address)
    expect(page.url()).toMatch(/\/chat\/see-it$/)
    const drawn = String(await page.evaluate(photo))
    const bytes = Buffer.from(drawn.slice(drawn.indexOf(',') + 1), 'base64')
    await attach(page, { name: 'colours.jpg', type: 'image/jpeg', bytes }, note())
    await page.getByRole('button', { name: 'Remove note.md' }).click()
    await attach(page, note('The door is red.', '<img src=x onerror=alert(1)>.md'))
    expect(await page.locator('#files .file').count()).toBe(2)
    expect(await page.locator('#files img').count()).toBe(1)
    await page.getByLabel('Write a message').fill('What is this?')
    await page.keyboard.press('Enter')
    await page.locator('#messages').getByText('A picture of colours.').waitFor()
    expect(await page.locator('#files .file').count()).toBe(0)
    expect(await page.locator('.question .file').count()).toBe(2)
    const read = JSON.stringify(model.requests.at(-1)?.body)
    const image = /data:image\/jpeg;base64,([A-Za-z0-9+/=]+)/.exec(read)?.[1] ?? ''
    expect(image.length).toBeGreaterThan(1000)
    expect(image.length).toBeLessThan(drawn.length)
    expect(read).toContain('The door is red.')
    expect(read).not.toContain('The door is green.')
    expect(complaints).toEqual([])
    await page.reload()
    await page.getByRole('button', { name: 'Conversations' }).click()
    await page.getByRole('dialog').getByText('What is this?').click()
    await page.getByText('With attachments').waitFor()
    // The server has the files, so the question is asked again with them.
    const before = model.requests.length
    await page.getByRole('button', { name: 'Answer again' }).click()
    await expect.poll(() => page.locator('.actions').count()).toBe(2)
    expect(await page.getByText('With attachments').count()).toBe(2)
    expect(model.requests).toHaveLength(before + 1)
    const { messages } = model.requests.at(-1)!.body as { messages: unknown[] }
    const again = JSON.stringify(messages.at(-1))
    expect(again).toContain('The door is red.')
    expect(again).toContain(image)
    await page.context().close()
  })

  test('beyond the limits or of an unknown kind are refused with a sentence', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await page.goto(address)
    await attach(page, { name: 'virus.exe', type: 'application/x-msdownload', bytes: Buffer.from('MZ') }) // prettier-ignore
    await page.getByText('This kind of file cannot be read.').first().waitFor()
    await attach(page, note('1', '1.md'), note('2', '2.md'), note('3', '3.md'), note('4', '4.md'))
    await page
      .locator('#file-problem', { hasText: 'Attachments: at most 3, together 2 MB' })
      .waitFor()
    expect(await page.locator('#files .file').count()).toBe(3)
    await page.context().close()
  })

  test('can be pasted and dropped', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await page.goto(address)
    const give = (type: string, target: string) => `{
      const files = new DataTransfer()
      files.items.add(new File(['text'], '${type}.txt', { type: 'text/plain' }))
      const options = { bubbles: true, cancelable: true }
      const event = '${type}' === 'paste'
        ? new ClipboardEvent('paste', { ...options, clipboardData: files })
        : new DragEvent('drop', { ...options, dataTransfer: files })
      document.querySelector('${target}').dispatchEvent(event)
    }`
    await page.evaluate(give('paste', '#message'))
    await page.getByRole('button', { name: 'Remove paste.txt' }).waitFor()
    await page.evaluate(give('drop', '#log'))
    await page.getByRole('button', { name: 'Remove drop.txt' }).waitFor()
    await page.context().close()
  })

  test('are sound in both themes, on a phone and wide, and from right to left', async () => {
    for (const [locale, seen] of [
      ['en', looks],
      ['ar', looks.filter(({ isChecked }) => isChecked)],
    ] as const) {
      const page = await service.page({ locale })
      await page.goto(address)
      const input = page.locator('input[type=file]')
      const { name, type, bytes } = note()
      await input.setInputFiles({ name, mimeType: type, buffer: bytes })
      await page.locator('#files .file').waitFor()
      await expectSoundLooks(page, `chat-page-files-${locale}`, seen)
      await page.context().close()
    }
  })

  test('the page can be installed as an app, and answers there', async () => {
    const page = await service.page({ locale: 'en-GB' })
    await page.goto(address)
    await page.getByRole('link', { name: 'Install as an app' }).click()
    await page.waitForURL('**/chat/see-it/app')
    const cdp = await page.context().newCDPSession(page)
    const { data, errors } = await cdp.send('Page.getAppManifest')
    expect(errors).toEqual([])
    expect(JSON.parse(data ?? '')).toMatchObject({ name: 'Eyes', display: 'standalone' })
    const { installabilityErrors: found } = await cdp.send('Page.getInstallabilityErrors')
    const kinds = found.map(({ errorId }) => errorId)
    // A test's browser forgets everything, as a private window does.
    expect(kinds.filter((kind) => kind !== 'in-incognito')).toEqual([])
    const frame = page.frameLocator('iframe')
    expect(await frame.getByRole('link', { name: 'Install as an app' }).count()).toBe(0)
    await frame.getByLabel('Write a message').fill('hello')
    await page.keyboard.press('Enter')
    await frame.locator('#messages').getByText('A picture of colours.').waitFor()
    const reach = `({ origin: self.origin, cookie: (() => { try { return document.cookie } catch (e) { return e.name } })() })`
    expect(await page.frames()[1]?.evaluate(reach)).toEqual({
      origin: 'null',
      cookie: 'SecurityError',
    })
    await page.reload()
    await frame.getByRole('button', { name: 'Conversations' }).click()
    await frame.getByRole('dialog').getByText('hello').waitFor()
    await page.context().close()
  })

  test('a page is proven on Share, and then answers at its own domain', async () => {
    const domain = 'chat.shop.localhost'
    const shown = await service.visit(`/agents/${appId}/share/page`)
    await shown.getByLabel('Your own domain').fill(domain)
    await shown.getByRole('button', { name: 'Save' }).first().click()
    await shown.getByText('Not proven yet').waitFor()
    const { domain_check: check } = await service.call('get_chat_page', { app_id: appId })
    const { txt_name, txt_value } = check as { txt_name: string; txt_value: string }
    await shown.getByText(txt_value).waitFor()
    dns.texts.set(txt_name, [txt_value])
    await shown.getByRole('button', { name: 'Check now' }).click()
    await shown.getByText('Active', { exact: true }).waitFor()
    await expectSoundLooks(shown, 'dashboard-share-domain')
    const address = `http://${domain}:${new URL(service.baseUrl).port}/`
    const page = await service.page({ locale: 'en-GB' })
    await page.goto(address)
    await page.getByLabel('Write a message').fill('hello')
    await page.keyboard.press('Enter')
    await page.locator('#messages').getByText('A picture of colours.').waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Conversations' }).click()
    await page.getByRole('dialog').getByText('hello').waitFor()
    expect((await page.goto(new URL('/login', page.url()).href))?.status()).toBe(404)
    await page.context().close()
    // A browser that is signed in at the service does not say so at the domain, where it is a new visitor.
    const cookieAt = async (url: string) =>
      (await (await shown.goto(url))?.request().allHeaders())?.cookie
    expect(await cookieAt(`${service.baseUrl}/agents`)).toBeTypeOf('string')
    expect(await cookieAt(address)).toBeUndefined()
    await shown.getByLabel('Write a message').waitFor()
    await shown.context().close()
  })
})
