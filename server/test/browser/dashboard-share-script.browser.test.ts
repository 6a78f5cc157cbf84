import type { Page, Route } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { picture } from '#test/support/browser/browser-service.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'

/** Markup that runs when it becomes an element, with the name of the setting that it is in. */
const attack = (setting: string) =>
  `${setting} "><img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>`

/** What the service refuses to store, as if it had stored it: the dashboard trusts no answer. */
const refusedSettings = {
  url: `https://chat.example/${attack('address')}`,
  slug: attack('slug'),
  domain: attack('domain'),
  domain_check: {
    state: 'waiting',
    txt_name: attack('record'),
    txt_value: attack('proof'),
    target: attack('target'),
    checked_at: null,
    problem: 'other_record',
    stops_at: null,
  },
  widget_key: attack('key'),
  widget_origins: [attack('origin')],
  open_on_paths: [attack('path')],
  privacy_url: attack('privacy'),
  imprint_url: attack('imprint'),
  identity_jwks_url: attack('keys'),
  moderation_url: attack('hook'),
}

describeDashboard('hostile settings of a chat page', (open) => {
  let service: DashboardService
  let share: string
  let appId: string

  beforeAll(async () => {
    service = await open()
    const named = { name: attack('name'), greeting: attack('own greeting') }
    const agent = await service.call('create_app', named)
    appId = String(agent.id)
    share = `/agents/${String(agent.app_name_id)}/share`
    await service.call('update_chat_page', {
      app_id: appId,
      enabled: true,
      title: attack('title'),
      greeting: attack('greeting'),
      disclaimer: attack('disclaimer'),
      blocked_words: [attack('word')],
      identity_issuer: attack('issuer'),
      identity_audience: attack('audience'),
    })
    await service.ctx.db.write((tx) =>
      tx
        .insertInto('widget_loads')
        .values({
          workspace_id: service.ada.workspaceId,
          agent_id: appId,
          origin: attack('referrer'),
          day: Math.floor(service.ctx.clock.now() / 86_400_000),
          loads: 3,
          visits: 1,
        })
        .execute(),
    )
  })

  const opened = async (part: string) => {
    const page = await service.visit(`${share}/${part}`)
    const complaints: string[] = []
    page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    // The preview of the look needs the address that the page has.
    if (part === 'look') return { page, complaints }
    await page.route('**/operations/get_chat_page', async (route: Route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), ...refusedSettings } })
    })
    await page.reload()
    await page.locator('h1').waitFor()
    return { page, complaints }
  }
  /** What the page shows: its text, and the values of its fields. */
  const shownOn = (page: Page) =>
    page.evaluate(
      `document.body.innerText + [...document.querySelectorAll('input, textarea')].map(({ value }) => value).join('\\n')`,
    ) as Promise<string>
  const expectText = async (page: Page, settings: readonly string[]) => {
    for (const setting of settings)
      await expect
        .poll(() => shownOn(page), { message: setting })
        .toContain(`${setting} "><img src=x`)
    expect(await page.locator('img[src="x"]').count()).toBe(0)
    expect(await page.evaluate('document.title')).not.toBe('hacked')
    const own = `[...document.scripts].filter(({ textContent }) => textContent.includes('hacked')).length`
    expect(await page.evaluate(own)).toBe(0)
  }

  test.each([
    { part: 'page', settings: ['name', 'address', 'slug', 'domain', 'record', 'proof', 'target', 'privacy', 'imprint'] }, // prettier-ignore
    { part: 'look', settings: ['name', 'title', 'greeting', 'disclaimer'] },
    { part: 'widget', settings: ['name', 'key', 'origin', 'path', 'referrer'] },
    { part: 'visitors', settings: ['name', 'word', 'hook', 'keys'] },
  ])('are text on Share, $part', async ({ part, settings }) => {
    const { page, complaints } = await opened(part)
    await expectText(page, settings)
    await picture(page, `share-script-${part}`)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('are text in the code to copy and in the pictures of the page', async () => {
    const page = await service.visit(`${share}/page`)
    await page.getByRole('button', { name: 'QR code' }).click()
    await page.getByRole('img', { name: /^QR code of/ }).waitFor()
    await page.getByRole('button', { name: 'Preview' }).click()
    const shown = page.frameLocator('iframe')
    await shown.getByText('greeting "><img').first().waitFor()
    expect(await shown.locator('img').count()).toBe(0)
    await expectText(page, ['name'])
    await page.context().close()
    const looks = await service.visit(`${share}/look`)
    const preview = looks.frameLocator('iframe')
    await looks.getByLabel('Note below the message field').fill(attack('typed'))
    await preview.getByText('typed "><img').waitFor()
    expect(await preview.locator('img').count()).toBe(0)
    await expectText(looks, ['typed'])
    await looks.context().close()
  })
})
