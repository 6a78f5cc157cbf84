import { createServer, request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { signInAt } from '#test/support/browser/browser-service.ts'
import { runCurl, dropFile } from '#test/support/copied-examples.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'

const prefix = '/tools/parley'

describeDashboard('the dashboard under a path of a shared host', (open) => {
  describe.each(['keeps the path', 'strips the path'] as const)('when the proxy %s', (kind) => {
    let service: DashboardService
    let proxy: Awaited<ReturnType<typeof startProxy>>
    let base: string
    let page: Page
    const strays: string[] = []

    beforeAll(async () => {
      proxy = await startProxy(kind === 'strips the path')
      base = `${proxy.origin}${prefix}`
      service = await open({ BASE_URL: base })
      proxy.forwardTo(service.baseUrl)
      page = await service.page({ locale: 'en-GB' })
      page.on('request', (request) => {
        if (!request.url().startsWith(`${base}/`)) strays.push(request.url())
      })
    })
    afterAll(async () => {
      await proxy.stop()
    })

    test('sign-in leads back to the requested page, and no request leaves the path', async () => {
      await page.goto(`${base}/settings/members?invite=true`)
      await page.waitForURL((url) => url.pathname === `${prefix}/login`)
      await signInAt(page)
      await page.waitForURL((url) => url.pathname === `${prefix}/settings/members`)
      await page.getByRole('dialog').getByText('Invite a member').waitFor()
      await page.goto(`${base}/agents/new`)
      await page.getByLabel('Name', { exact: true }).fill('Under a path')
      await page.getByRole('button', { name: 'Create agent' }).click()
      await page.waitForURL((url) => url.pathname.startsWith(`${prefix}/agents/under-a-path-`))
      const chat = page.getByRole('region', { name: 'Test chat' })
      await chat.getByLabel('Message').fill('Hello')
      await chat.getByLabel('Message').press('Enter')
      await chat.getByText(/in total/).waitFor()
      await page.getByRole('link', { name: 'Knowledge' }).click()
      await dropFile(page, 'hours.txt', Buffer.from('Open at nine.'))
      await page.getByRole('list', { name: 'Sources' }).getByText('hours').waitFor()
      expect(strays).toEqual([])
    })

    test('what is shown for copying works unchanged', async () => {
      await page.getByRole('link', { name: 'Share' }).click()
      await page.getByRole('link', { name: 'API', exact: true }).click()
      await page.getByRole('button', { name: 'Create chat key' }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Website')
      await dialog.getByRole('button', { name: 'Create chat key' }).click()
      const example = dialog.getByRole('region', { name: 'Example for curl' })
      const curl = (await example.textContent()) ?? ''
      expect(curl).toContain(`${base}/api/v1/chat/completions`)
      expect(await runCurl(curl)).toMatchObject({ object: 'chat.completion' })
    })

    test('the start page leads on, with or without a slash at its end', async () => {
      for (const address of [`${base}/`, `${base}/home/start`]) {
        await page.goto(address)
        await page.waitForURL((url) => /^\/tools\/parley\/(?:home|agents)$/.test(url.pathname))
      }
      expect(strays).toEqual([])
    })

    test('a file is downloaded, and signing out stays under the path', async () => {
      await page.goto(`${base}/settings/audit`)
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('main').getByRole('link', { name: 'Export' }).click(),
      ])
      expect(file.suggestedFilename()).toBe('audit-log.csv')
      await page.getByRole('button', { name: /^Account/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.waitForURL((url) => url.pathname === `${prefix}/signed-out`)
      expect(strays).toEqual([])
    })
  })
})

/** A host whose other paths do not belong to the service: they return 404. */
async function startProxy(isStripping: boolean) {
  let target = ''
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '/'
    if (target === '' || !path.startsWith(`${prefix}/`)) {
      outgoing.writeHead(404).end('Not of this service')
      return
    }
    const forwarded = isStripping ? path.slice(prefix.length) : path
    const { method, headers } = incoming
    const onward = ask(new URL(forwarded, target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as AddressInfo // A TCP socket.
  return {
    origin: `http://localhost:${port}`,
    forwardTo(origin: string) {
      target = origin
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
