import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { newId } from '#kernel/ids.ts'
import { dropFile } from '#test/support/copied-examples.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'

const main = (page: Page) => page.getByRole('main')
const uploads = (page: Page) => page.getByRole('list', { name: 'Uploads' })
const sources = (page: Page) => main(page).getByRole('list', { name: 'Sources' })
const uploadRoute = '**/api/dashboard/agents/*/files?*'

describeDashboard('the dashboard on a poor connection', (open) => {
  let service: DashboardService
  let appId: string
  let agent: string

  beforeAll(async () => {
    service = await open()
    const made = await service.call('create_app', { name: 'Island shop' })
    appId = String(made.id)
    agent = `/agents/${String(made.app_name_id)}`
  })

  const text = (name: string) => Buffer.from(`What ${name} says.`)

  test('saves although the browser reports being offline, since the service may be on the same machine', async () => {
    const page = await service.visit('/agents/new')
    await page.evaluate("dispatchEvent(new Event('offline'))")
    await page.getByLabel('Name', { exact: true }).fill('Made offline')
    await page.getByRole('button', { name: 'Create agent' }).click()
    await page.getByRole('heading', { level: 1, name: 'Build' }).waitFor()
  })

  test('keeps what it has loaded while the service is unavailable', async () => {
    const waiting = { app_id: appId, kind: 'url', url: 'https://nowhere.invalid/' }
    await service.call('add_knowledge_source', waiting)
    const page = await service.visit(`${agent}/knowledge`)
    await sources(page).getByText('nowhere.invalid').waitFor()
    let refused = 0
    await page.route('**/api/dashboard/operations/list_knowledge_sources', async (route) => {
      refused += 1
      await route.abort()
    })
    // A request, its two retries, and the next request.
    await expect.poll(() => refused, { timeout: 15_000 }).toBeGreaterThan(3)
    expect(await sources(page).getByText('nowhere.invalid').isVisible()).toBe(true)
    expect(await main(page).getByRole('alert').count()).toBe(0)
  })

  test('retries a failed upload', async () => {
    const page = await service.visit(`${agent}/knowledge`)
    await page.route(uploadRoute, (route) => route.abort())
    await dropFile(page, 'tides.txt', text('tides'))
    await uploads(page).getByText('Could not reach the service.').waitFor()
    await page.unroute(uploadRoute)
    await uploads(page).getByRole('button', { name: 'Try again: tides.txt' }).click()
    await sources(page).getByText('tides.txt').waitFor()
    await uploads(page).waitFor({ state: 'detached' })
    // A refused request would be refused again.
    await dropFile(page, 'photo.heic', text('a picture'))
    await uploads(page).getByText('Files of this kind cannot be read.').waitFor()
    expect(
      await uploads(page)
        .getByRole('button', { name: /^Try again/ })
        .count(),
    ).toBe(0)
  })

  test('stops uploading when the user leaves the page', async () => {
    const page = await service.visit(`${agent}/knowledge`)
    const begun: string[] = []
    await page.route(uploadRoute, (route) => {
      begun.push(new URL(route.request().url()).searchParams.get('filename') ?? '')
      // Never answered: they are in progress until they are aborted.
    })
    const names = ['one.txt', 'two.txt', 'three.txt', 'four.txt']
    for (const name of names) await dropFile(page, name, text(name))
    await expect.poll(() => begun.length).toBe(2)
    page.on('dialog', (dialog) => void dialog.accept())
    await main(page).getByRole('link', { name: 'Share' }).click()
    await page.getByRole('heading', { level: 1, name: 'Share' }).waitFor()
    await page.waitForTimeout(500)
    expect(begun).toEqual(names.slice(0, 2))
  })

  test('leads to sign-in and back if the sign-in expired before an upload', async () => {
    const page = await service.visit(`${agent}/knowledge`)
    await page.context().clearCookies()
    await dropFile(page, 'late.txt', text('late'))
    await page.waitForURL((url) => url.pathname === '/login')
    expect(new URL(page.url()).searchParams.get('return_to')).toBe(`${agent}/knowledge`)
  })

  test('reports a file that can no longer be read, in every form that accepts one', async () => {
    const gone =
      "Blob.prototype.text = () => Promise.reject(new DOMException('', 'NotReadableError'))"
    const file = { name: 'moved.csv', mimeType: 'text/csv', buffer: text('moved') }
    const forms = [
      `${agent}/publish/catalog/products?import=true`,
      '/agents?import=true',
      `${agent}/build/actions/import?from=openapi`,
    ]
    for (const path of forms) {
      const page = await service.visit(path)
      await page.evaluate(gone)
      await page.locator('input[type=file]:not([multiple])').setInputFiles(file)
      await page.getByRole('alert').getByText('The file could not be read.').waitFor()
    }
  })

  test('stores nothing if the session ended before the first page could be stored', async () => {
    const page = await service.page({ serviceWorkers: 'allow', bypassCSP: true })
    await page.goto(`${service.baseUrl}/docs`)
    await page.evaluate("navigator.serviceWorker.register('/service-worker.js')")
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
    expect(await page.evaluate("caches.match('/').then((page) => page === undefined)")).toBe(true)
  })

  test('without a connection shows a page of ours, stores no answer of the API, and forgets it at sign-out', async () => {
    // The sign-out ends the session, which other tests must not share.
    const as = await service.account(`Olaf${newId()}`, 'editor')
    const page = await service.visit('/agents', { as, serviceWorkers: 'allow' })
    const stored = `(async () => {
      const paths = []
      for (const name of await caches.keys())
        for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname)
      return paths
    })()`
    const paths = async () => (await page.evaluate(stored)) as string[]
    const registrations = 'navigator.serviceWorker.getRegistrations().then((all) => all.length)'
    await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
    await expect.poll(paths).toContain('/')
    await page.goto(`${service.baseUrl}${agent}/knowledge`)
    await page.getByRole('heading', { level: 1, name: 'Knowledge' }).waitFor()
    await expect.poll(async () => (await paths()).length).toBeGreaterThan(10)
    const others = (await paths()).filter((path) => path !== '/' && !path.startsWith('/assets/'))
    expect(others).toEqual([])

    await page.context().setOffline(true)
    await page.goto(`${service.baseUrl}/settings/jobs`)
    await page.getByRole('heading', { name: 'No connection' }).waitFor()
    await expectSoundLooks(page, 'dashboard-offline')
    for (const [path, name] of [
      ['/account/email', 'Your email'],
      ['/docs/backup', 'Backup'],
      ['/settings/jobs', 'Jobs'],
    ] as const) {
      await page.goto(`${service.baseUrl}${path}`)
      await page.getByRole('heading', { name: 'No connection' }).waitFor()
      await page.context().setOffline(false)
      await page.getByRole('button', { name: 'Reload' }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await page.context().setOffline(true)
    }
    expect((await paths()).filter((path) => /account|docs/.test(path))).toEqual([])
    await page.context().setOffline(false)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()

    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL((url) => url.pathname === '/signed-out')
    await expect.poll(async () => await page.evaluate(registrations)).toBe(0)
    await expect.poll(paths).toEqual([])
  })
})
