import { expect, test } from 'vitest'
import { ensureOwner } from '#features/identity/index.ts'
import { dayMs } from '#kernel/durations.ts'
import type { TestInstance } from '#test/support/test-instance.ts'
import { describeInstance } from '#test/support/test-instance.ts'
import { FormBrowser } from '#test/support/browser/form-browser.ts'
import { appOf, baseUrl } from '#test/support/identity/sign-in-service.ts'

const typed = { email: 'owner@example.com', name: 'The owner', password: 'a good password' }

describeInstance('set-up', (open) => {
  const fresh = async () => {
    const instance = await open({ BASE_URL: baseUrl })
    const owner = await ensureOwner(instance.ctx)
    return { instance, token: owner!.setup!.token, browser: browserOf(instance) }
  }
  const browserOf = (instance: TestInstance) => {
    const app = appOf(instance)
    return new FormBrowser(async (url, init) => await app.request(url, init), { origin: baseUrl })
  }

  test('the link lets the owner enter their name and a password, and signs them in', async () => {
    const { token, browser, instance } = await fresh()
    await browser.open(`/setup?token=${token}`)
    expect(browser.response.status).toBe(200)
    expect(browser.formOf('/setup').get('email')).toBe('')
    await browser.submit('/setup', typed)
    expect(browser.url.pathname).toBe('/home/start')
    await browser.open('/account')
    expect(browser.html).toContain('The owner')
    expect(browser.html).toContain('owner@example.com')
    const workspaces = instance.ctx.db.read.selectFrom('workspaces').select('name')
    expect(await workspaces.execute()).toEqual([{ name: "The owner's workspace" }])
    const again = browserOf(instance)
    await again.open('/login')
    await again.submit('/login', { email: typed.email, password: typed.password })
    expect(again.url.pathname).toBe('/home/start')
  })

  test('until the link is used, the sign-in page explains where it is', async () => {
    const { token, browser, instance } = await fresh()
    await browser.open('/login')
    expect(browser.html).toContain('<h1>Set up Parley</h1>')
    expect(browser.html).toContain('/setup?token=</code>')
    expect(browser.html).not.toContain(token)
    await browser.open(`/setup?token=${token}`)
    await browser.submit('/setup', typed)
    const other = browserOf(instance)
    await other.open('/login')
    expect(other.html).not.toContain('Set up Parley')
  })

  test('opening the link does not use it up, completing the form does', async () => {
    const { token, browser, instance } = await fresh()
    for (let look = 0; look < 3; look += 1) await browser.open(`/setup?token=${token}`)
    expect(browser.response.status).toBe(200)
    await browser.submit('/setup', typed)
    await browserOf(instance).open(`/setup?token=${token}`)
    const late = browserOf(instance)
    await late.open(`/setup?token=${token}`)
    expect(late.response.status).toBe(410)
  })

  test('invalid input does not use up the link', async () => {
    const { token, browser } = await fresh()
    await browser.open(`/setup?token=${token}`)
    for (const wrong of [{ password: 'short' }, { email: 'nobody' }]) {
      await browser.submit('/setup', { ...typed, ...wrong })
      expect(browser.response.status).toBe(422)
      expect(browser.html).toContain('role="alert"')
    }
    await browser.submit('/setup', typed)
    expect(browser.url.pathname).toBe('/home/start')
  })

  test('a link expires after a day', async () => {
    const { token, browser, instance } = await fresh()
    instance.advance(dayMs - 1)
    await browser.open(`/setup?token=${token}`)
    expect(browser.response.status).toBe(200)
    const fields = browser.formOf('/setup')
    for (const [name, value] of Object.entries(typed)) fields.set(name, value)
    instance.advance(1)
    await browser.post('/setup', fields)
    expect(browser.response.status).toBe(410)
  })

  test('an unknown link, or none, opens nothing', async () => {
    const { browser } = await fresh()
    for (const path of ['/setup', '/setup?token=', `/setup?token=${'x'.repeat(43)}`]) {
      await browser.open(path)
      expect(browser.response.status).toBe(410)
    }
  })

  test('many concurrent uses of the set-up link, in several processes: one person becomes the owner', async () => {
    const { token, instance } = await fresh()
    const other = await instance.again()
    const browsers = [instance, other, instance, other].map(browserOf)
    for (const browser of browsers) await browser.open(`/setup?token=${token}`)
    await Promise.all(
      browsers.map((browser, index) =>
        browser.submit('/setup', { ...typed, email: `owner-${index}@example.com` }),
      ),
    )
    const won = browsers.filter((browser) => browser.url.pathname === '/home/start')
    expect(won).toHaveLength(1)
    const users = await instance.ctx.db.read.selectFrom('users').select('email').execute()
    expect(users).toHaveLength(1)
    await won[0]!.open('/account')
    expect(won[0]!.html).toContain(users[0]!.email)
  })

  test('a forged form is refused and does not use up the link', async () => {
    const { token, browser, instance } = await fresh()
    await browser.open(`/setup?token=${token}`)
    const fields = browser.formOf('/setup')
    for (const [name, value] of Object.entries(typed)) fields.set(name, value)
    const thief = browserOf(instance)
    await thief.post('/setup', fields, { 'sec-fetch-site': 'cross-site' })
    expect(thief.response.status).toBe(403)
    await thief.post('/setup', fields)
    expect(thief.response.status).toBe(403)
    await browser.post('/setup', fields)
    expect(browser.url.pathname).toBe('/home/start')
  })
})
