import { beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { hashToken } from '#kernel/tokens.ts'
import { axeViolations } from '#test/support/browser/axe.ts'
import {
  describeBrowser,
  person,
  picture,
  signInAt,
  type BrowserService,
} from '#test/support/browser/browser-service.ts'
import { createWorkspace } from '#features/workspaces/index.ts'
import { registerClient } from '#features/grants/index.ts'
import { findUserByEmail } from '#features/identity/index.ts'
import { inviteMember } from '#features/members/index.ts'

/** Contrast depends on the theme, layout on the width. */
const looks = [
  { colorScheme: 'light', viewport: { width: 1200, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 320, height: 640 } },
] as const

describeBrowser(
  'the sign-in pages',
  (open) => {
    let service: BrowserService
    let invitation: string

    beforeAll(async () => {
      service = await open()
      const ada = await findUserByEmail(service.ctx, person.email)
      await createWorkspace(service.ctx, ada!.id, { name: 'A second workspace' })
      const host = await service.person()
      invitation = (await inviteMember(service.ctx, host, { role: 'editor' })).link ?? ''
      const now = service.ctx.clock.now()
      const link = { hash: hashToken('a link'), user_id: ada!.id, created_at: now, used_at: null }
      await service.ctx.db.write((tx) =>
        tx
          .insertInto('setup_links')
          .values({ ...link, expires_at: now + 60_000 })
          .execute(),
      )
    })

    const steps: Record<string, (page: Page) => Promise<unknown>> = {
      'sign-in': (page) => page.goto(`${service.baseUrl}/login`),
      'wrong-password': async (page) => {
        await page.goto(`${service.baseUrl}/login`)
        await signInAt(page, 'not the password')
        await page.getByRole('alert').waitFor()
      },
      consent: async (page) => {
        await service.beginAt(page)
        await signInAt(page)
        await page.getByRole('heading', { name: 'Authorize' }).waitFor()
      },
      'consent-read-only': async (page) => {
        await service.beginAt(page)
        await signInAt(page)
        await page.getByLabel('Read only').check()
      },
      account: async (page) => {
        await page.goto(`${service.baseUrl}/account`)
        await signInAt(page)
        await page.getByRole('heading', { name: 'Change your password' }).waitFor()
      },
      'signed-out': (page) => page.goto(`${service.baseUrl}/signed-out`),
      'unknown-application': (page) =>
        page.goto(
          `${service.baseUrl}/mcp/oauth/authorize?client_id=x&redirect_uri=http://localhost/`,
        ),
      'wrong-request': async (page) => {
        const redirect_uri = 'https://a-long-name-of-an-application.example/back'
        const { id } = await registerClient(service.ctx, { redirect_uris: [redirect_uri] })
        await service.beginAt(page, { client_id: id, redirect_uri, scope: 'nonsense' })
        await page.getByRole('link', { name: 'Go to' }).waitFor()
      },
      'no-request': (page) => page.goto(`${service.baseUrl}/mcp/oauth/consent?request=x`),
      'set-up': (page) => page.goto(`${service.baseUrl}/setup?token=a%20link`),
      invitation: (page) => page.goto(invitation),
      'invitation-refused': async (page) => {
        await page.goto(invitation)
        await page.getByLabel('Email').fill(person.email)
        await page.getByLabel('Password').fill('not the password')
        await page.getByRole('button', { name: 'Join' }).click()
        await page.getByRole('alert').waitFor()
      },
      'invitation-signed-in': async (page) => {
        await page.goto(`${service.baseUrl}/login`)
        await signInAt(page)
        await page.goto(invitation)
        await page.getByText('You are signed in as').waitFor()
      },
      email: async (page) => {
        await page.goto(`${service.baseUrl}/login`)
        await signInAt(page)
        await page.goto(`${service.baseUrl}/account/email`)
        await page.getByRole('heading', { name: 'Your email' }).waitFor()
      },
      'used-invitation': (page) => page.goto(`${service.baseUrl}/invitations/x`),
      'used-link': (page) => page.goto(`${service.baseUrl}/setup?token=x`),
    }

    test.each(Object.keys(steps))(
      'axe finds no violation on %s, light and wide or dark and 320 px narrow',
      async (name) => {
        const [first] = looks
        const page = await service.page({ ...first, deviceScaleFactor: 2 })
        await steps[name]!(page)
        for (const { colorScheme, viewport } of looks) {
          await page.emulateMedia({ colorScheme })
          await page.setViewportSize(viewport)
          await picture(page, `${name}-${colorScheme}`)
          expect(await axeViolations(page)).toEqual([])
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
            viewport.width,
          )
        }
        await page.context().close()
      },
    )

    test('the pages’ own content security policy blocks nothing on them', async () => {
      const page = await service.page()
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      for (const step of ['sign-in', 'signed-out', 'consent']) await steps[step]!(page)
      expect(complaints).toEqual([])
      expect(await page.evaluate('getComputedStyle(document.body).display')).toBe('flex')
    })
  },
  'sqlite',
)
