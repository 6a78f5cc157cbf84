import { beforeAll, describe, expect, test } from 'vitest'
import { inviteMember } from '#features/members/index.ts'
import { roleIn } from '#features/workspaces/index.ts'
import { describeSignIn, type SignInService } from '#test/support/identity/sign-in-service.ts'

describeSignIn('the page of an invitation', (open) => {
  let service: SignInService
  let people = 0

  beforeAll(async () => {
    service = await open()
  })

  const invite = async (email?: string) => {
    const issued = await inviteMember(service.ctx, service.ada, { role: 'editor', email })
    return new URL(issued.link ?? '').pathname
  }
  const newcomer = () => {
    people += 1
    return { email: `page-${people}@example.com`, password: 'a good password', name: 'New' }
  }
  /** Where the dashboard opens the workspace that a person joined. */
  const joined = () => `/agents?workspace=${service.ada.workspaceId}`
  const roleOf = (userId: string) => roleIn(service.ctx.db.read, userId, service.ada.workspaceId)

  test('shows who invites, the workspace and the role, and sends its address to no other site', async () => {
    const browser = service.browser()
    await browser.open(await invite())
    expect(browser.html).toContain('ada invites you to this workspace, as editor')
    expect(browser.response.headers.get('referrer-policy')).toBe('same-origin')
    expect(browser.response.headers.get('cache-control')).toBe('no-store')
    expect(browser.html).not.toContain('<script')
  })

  test('signs in a person who has an account', async () => {
    const bob = await service.account('bob-with-account')
    const path = await invite()
    const browser = service.browser()
    await browser.open(path)
    await browser.submit(path, { email: bob.email, password: bob.password })
    expect(browser.url.pathname + browser.url.search).toBe(joined())
    await browser.open('/account')
    expect(browser.html).toContain(bob.email)
    await browser.open(path)
    expect(browser.url.pathname + browser.url.search).toBe(joined())
  })

  test('lets a signed-in person join with one button', async () => {
    const bob = await service.account('bob-joins')
    const browser = await service.signedIn(bob)
    const path = await invite()
    await browser.open(path)
    expect(browser.html).toContain(`You are signed in as ${bob.email}`)
    await browser.submit(path)
    expect(browser.url.pathname + browser.url.search).toBe(joined())
    expect(await roleOf(bob.userId)).toBe('editor')
  })

  test('leads to sign-in and back', async () => {
    const bob = await service.account('bob-signs-in')
    const path = await invite()
    const browser = service.browser()
    await browser.open(`/login?return_to=${encodeURIComponent(path)}`)
    await browser.submit('/login', { email: bob.email, password: bob.password })
    expect(browser.url.pathname).toBe(path)
    await browser.submit(path)
    expect(await roleOf(bob.userId)).toBe('editor')
  })

  test('for an email signs in the account with that email, whatever the form contains', async () => {
    const bob = await service.account('bob-invited')
    const path = await invite(bob.email)
    const browser = service.browser()
    await browser.open(path)
    await browser.submit(path, { password: bob.password, email: service.ada.email })
    await browser.open('/account')
    expect(browser.html).toContain(bob.email)
  })

  test('for another person’s email offers to sign out, and its form is refused', async () => {
    const bob = await service.account('bob-curious')
    const path = await invite('somebody@example.com')
    const browser = await service.signedIn(bob)
    await browser.open(path)
    expect(browser.html).toContain('This invitation is for somebody@example.com')
    const token = browser.formOf('/sign-out').get('form_token') ?? ''
    await browser.post(path, new URLSearchParams({ form_token: token }))
    expect(browser.response.status).toBe(403)
    expect(await roleOf(bob.userId)).toBeNull()
    await browser.open(path)
    await browser.submit('/sign-out')
    expect(browser.url.pathname).toBe(path)
    expect(browser.html).toContain('For <strong>somebody@example.com</strong>')
  })

  test('answers a wrong password as sign-in does, and keeps the typed text', async () => {
    const bob = await service.account('bob-forgets')
    const path = await invite()
    const browser = service.browser()
    await browser.open(path)
    await browser.submit(path, { email: bob.email, password: 'not this one' })
    expect(browser.response.status).toBe(422)
    expect(browser.html).toContain('role="alert"')
    expect(browser.formOf(path).get('email')).toBe(bob.email)
    await browser.submit(path, { email: bob.email, password: bob.password })
    expect(await roleOf(bob.userId)).toBe('editor')
  })

  test('looks the same whether the person has an account or not', async () => {
    const bob = await service.account('bob-hidden')
    const pages = await Promise.all(
      [bob.email, 'nobody-hidden@example.com'].map(async (email) => {
        const path = await invite(email)
        const browser = service.browser()
        await browser.open(path)
        const token = browser.formOf(path).get('form_token') ?? ''
        const link = path.split('/').at(-1) ?? ''
        return browser.html.replaceAll(email, 'E').replaceAll(link, 'L').replaceAll(token, 'T')
      }),
    )
    expect(pages[0]).toBe(pages[1])
  })

  test('refuses a form from another site, and one that this browser was not given', async () => {
    const path = await invite()
    const browser = service.browser()
    await browser.open(path)
    await browser.submit(path, newcomer(), { 'sec-fetch-site': 'cross-site' })
    expect(browser.response.status).toBe(403)
    await browser.open(path)
    await browser.submit(path, { ...newcomer(), form_token: 'x'.repeat(43) })
    expect(browser.response.status).toBe(403)
  })

  describe('is over', () => {
    const over = async (path: string) => {
      const browser = service.browser()
      await browser.open(path)
      expect(browser.response.status).toBe(410)
      expect(browser.html).toContain('This invitation has expired')
      return browser.html
    }

    test('when it was used, has expired or never existed, with the same answer', async () => {
      const bob = await service.account('bob-was-first')
      const used = await invite()
      const browser = await service.signedIn(bob)
      await browser.open(used)
      await browser.submit(used)
      const expired = await invite()
      service.advance(7 * 24 * 60 * 60_000)
      const pages = [await over(used), await over(expired), await over('/invitations/none')]
      expect(new Set(pages).size).toBe(1)
    })
  })
})
