import { PNG } from 'pngjs'
import { decodeQR } from 'qr/decode.js'
import { beforeAll, expect, test } from 'vitest'
import { verifies } from '#test/conformance/verifies.ts'
import { runCurl, runScript } from '#test/support/copied-examples.ts'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'

describeDashboard('the Share tab of an agent', (open) => {
  let service: DashboardService
  let share: string
  let path: string
  let appId: string

  beforeAll(async () => {
    service = await open()
    const agent = await service.call('create_app', { name: "Ada's shop" })
    appId = String(agent.id)
    await service.call('create_chat_key', { app_id: appId, name: 'Website' })
    share = `/agents/${String(agent.app_name_id)}/share`
    path = `${share}/api`
  })

  test('is sound in both themes, wide and at 360 px, with and without its form', async () => {
    await expectSound(service, 'share', path)
    await expectSound(service, 'share-form', `${path}?create=true`, (page) =>
      page.getByRole('dialog').waitFor(),
    )
  })

  test('begins with the chat page, and keeps what is not saved yet in all of its parts', async () => {
    const page = await service.visit(share)
    await expect.poll(() => new URL(page.url()).pathname).toBe(`${share}/page`)
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.message())
      void dialog.dismiss()
    })
    const part = (name: string) =>
      page.getByRole('navigation', { name: 'Parts of Share' }).getByRole('link', { name }).click()
    await page.getByText('Switch the page on').click()
    await part('Look')
    await page.getByLabel('Title').fill('Tea counter')
    await part('Visitors and safety')
    await page.getByText('Not saved yet').waitFor()
    await part('Look')
    expect(await page.getByLabel('Title').inputValue()).toBe('Tea counter')
    expect(asked).toEqual([])
    // The API has no fields of the page, so leaving for it is leaving.
    await part('API')
    expect(asked).toEqual(['You have unsaved changes. Leave anyway?'])
    expect(new URL(page.url()).pathname).toBe(`${share}/look`)

    // Another editor saves something else meanwhile. One save of ours stores all parts, and keeps it.
    await service.call('update_chat_page', { app_id: appId, disclaimer: 'May be wrong.' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    expect(await service.call('get_chat_page', { app_id: appId })).toMatchObject({
      enabled: true,
      title: 'Tea counter',
      disclaimer: 'May be wrong.',
    })
    await part('API')
    await page.getByRole('button', { name: 'Create chat key' }).waitFor()
    expect(asked).toHaveLength(1)
  })

  test('draws a QR code that leads to the page, also to one that opens by its link', async () => {
    const agent = await service.call('create_app', { name: 'Tea room', greeting: 'Tea?' })
    const path = `/agents/${String(agent.app_name_id)}/share/page`
    for (const access of ['public', 'link'] as const) {
      const set = { app_id: agent.id, enabled: true, access }
      const { url } = await service.call('update_chat_page', set)
      const page = await service.visit(path, { deviceScaleFactor: 2 })
      await page.getByRole('button', { name: 'QR code' }).click()
      const code = page.getByRole('img', { name: /^QR code of/ })
      await code.waitFor()
      // As a phone sees it: the pixels on the screen.
      const { width, height, data } = PNG.sync.read(await code.screenshot())
      const read = decodeQR({ width, height, data })
      expect(read).toBe(url)
      expect(await code.getAttribute('alt')).toBe(`QR code of ${read}`)
      await page.context().close()
      const phone = await service.page({ locale: 'en-GB', viewport: { width: 390, height: 844 } })
      await phone.goto(read)
      await phone.getByText('Tea?').waitFor()
      await phone.context().close()
    }
  })

  test('makes a logo of any size small enough for the page', async () => {
    const large = new PNG({ width: 1200, height: 600 })
    // Noise, which no compression makes small.
    for (let at = 0; at < large.data.length; at += 1) large.data[at] = (at * at * 31) % 251
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><path d="M0 0h20v10z"/></svg>'
    const page = await service.visit(`${share}/look`)
    const choose = (name: string, mimeType: string, buffer: Buffer) =>
      page.getByLabel('Logo').setInputFiles({ name, mimeType, buffer })
    const files = [
      { name: 'photo.png', mimeType: 'image/png', bytes: PNG.sync.write(large) },
      { name: 'mark.svg', mimeType: 'image/svg+xml', bytes: Buffer.from(svg) },
    ]
    for (const { name, mimeType, bytes } of files) {
      await choose(name, mimeType, bytes)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Not saved yet').waitFor({ state: 'detached' })
      const { logo } = await service.call('get_chat_page', { app_id: appId })
      const png = Buffer.from(String(logo).replace('data:image/png;base64,', ''), 'base64')
      const { width, height } = PNG.sync.read(png)
      expect(width).toBeLessThanOrEqual(256)
      expect(width / height).toBe(2)
    }
    await choose('broken.png', 'image/png', Buffer.from('no image'))
    await page.getByText('The browser cannot show this file as an image').waitFor()
    expect(await page.getByText('Not saved yet').count()).toBe(0)
  })

  verifies('chat.auth.share-tab', async () => {
    const page = await service.visit(share)
    await page.getByRole('main').getByRole('link', { name: 'API', exact: true }).click()
    await page.getByRole('main').getByRole('button', { name: 'Create chat key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Terminal')
    await dialog.getByRole('button', { name: 'Create chat key' }).click()
    const curl =
      (await dialog.getByRole('region', { name: 'Example for curl' }).textContent()) ?? ''
    expect(curl).toMatch(/^curl '/)
    expect(await runCurl(curl)).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant' }, finish_reason: 'stop' }],
    })
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByRole('main').getByText('Terminal').waitFor()
    const key = /svc_ck_\w+/.exec(curl)?.[0] ?? ''
    expect(await page.content()).not.toContain(key)

    await page.getByRole('button', { name: 'Revoke Terminal' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('main').getByText('Terminal').waitFor({ state: 'detached' })
    expect(await runCurl(curl)).toEqual({ error: 'Invalid API key' })
  })

  test('the JavaScript example runs unchanged', async () => {
    const { key } = await service.call('create_chat_key', { app_id: appId, name: 'Script' })
    const page = await service.visit(path)
    await page.getByRole('group', { name: 'Language' }).getByText('JavaScript').click()
    const code = await page.getByRole('region', { name: 'Example for JavaScript' }).textContent()
    expect(code).toContain('YOUR_KEY')
    const said = await runScript((code ?? '').replace('YOUR_KEY', String(key)))
    expect(said).not.toBe('')
  })

  test('shows a viewer the base URL but no key', async () => {
    const viewer = await service.account('Vera', 'viewer')
    const page = await service.visit(`${share}?workspace=${service.ada.workspaceId}`, {
      as: viewer,
    })
    await page.getByText('Only editors of this workspace can see its keys.').waitFor()
    expect(await page.getByText('Website', { exact: true }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Create chat key' }).count()).toBe(0)
  })
})
