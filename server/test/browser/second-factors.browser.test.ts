import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { axeViolations } from '#test/support/browser/axe.ts'
import { codesOf } from '#test/support/identity/authenticator-app.ts'
import {
  describeBrowser,
  picture,
  signInAt,
  type BrowserService,
} from '#test/support/browser/browser-service.ts'
import { addAuthenticator } from '#test/support/browser/chromium.ts'

const looks = [
  { name: 'light-wide', colorScheme: 'light', viewport: { width: 1200, height: 800 } },
  { name: 'dark-narrow', colorScheme: 'dark', viewport: { width: 320, height: 640 } },
] as const

describeBrowser(
  'second factors in a browser',
  (open) => {
    let service: BrowserService

    beforeAll(async () => {
      service = await open()
    })

    const signIn = async (page: Page) => {
      await page.goto(`${service.baseUrl}/login?return_to=/account`)
      await signInAt(page)
      await page.waitForURL(({ pathname }) => pathname !== '/login')
    }
    const addPasskey = async (page: Page) => {
      await page.goto(`${service.baseUrl}/account/second-factor/passkey`)
      await page.getByRole('button', { name: 'Create a passkey' }).click()
    }
    const removeAll = async () => {
      for (const table of ['recovery_codes', 'second_factors'] as const)
        await service.ctx.db.write((tx) => tx.deleteFrom(table).execute())
    }

    test('a passkey is added, signs in, and answers each challenge once', async () => {
      const page = await service.page()
      const complaints: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      await signIn(page)
      await page.getByRole('heading', { name: 'Second factor' }).waitFor()
      const { cdp, authenticatorId } = await addAuthenticator(page)
      await addPasskey(page)
      await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
      const codes = await page.locator('.codes code').allTextContents()
      expect(codes).toHaveLength(10)
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.getByRole('button', { name: 'Copy' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${codes.join('\n')}\n`)
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('parley-recovery-codes.txt')
      expect(await readFile(await download.path(), 'utf8')).toBe(`${codes.join('\n')}\n`)
      await page.getByRole('link', { name: 'I have saved them' }).click()
      await page.getByText('Passkey · not used yet').waitFor()
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()

      await signIn(page)
      await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
      const answers: string[] = []
      page.on('request', (request) => answers.push(request.postData() ?? ''))
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      await page.getByText('Passkey · last used').waitFor()
      const stored = await service.ctx.db.read
        .selectFrom('second_factors')
        .selectAll()
        .executeTakeFirstOrThrow()
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
      expect(Number(stored.sign_count)).toBe(credentials[0]!.signCount)
      expect(complaints).toEqual([])

      const replayed = answers.find((body) => body.includes('answer='))!
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await signIn(page)
      await page.locator('[name=answer]').waitFor({ state: 'attached' })
      const answer = new URLSearchParams(replayed).get('answer')!
      await page.evaluate(`{
      const form = document.querySelector('form[data-passkey]')
      form.elements.answer.value = ${JSON.stringify(answer)}
      form.submit()
    }`)
      await page.getByRole('alert').filter({ hasText: 'used before' }).waitFor()
      await removeAll()
      await page.context().close()
    })

    test('a copied passkey, whose counter does not increase, is refused', async () => {
      const page = await service.page()
      await signIn(page)
      await addAuthenticator(page)
      await addPasskey(page)
      await page.getByRole('link', { name: 'I have saved them' }).click()
      await service.ctx.db.write((tx) =>
        tx.updateTable('second_factors').set({ sign_count: 1000 }).execute(),
      )
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await signIn(page)
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      await page.getByRole('alert').filter({ hasText: 'The code is wrong' }).waitFor()
      await removeAll()
      await page.context().close()
    })

    test('an authenticator without user verification is refused', async () => {
      const page = await service.page()
      await signIn(page)
      const { cdp, authenticatorId } = await addAuthenticator(page)
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
      await addPasskey(page)
      await page.getByRole('alert').filter({ hasText: 'did not complete' }).waitFor()
      const rows = await service.ctx.db.read.selectFrom('second_factors').selectAll().execute()
      expect(rows).toEqual([])
      await page.context().close()
    })

    const steps: Record<string, (page: Page) => Promise<unknown>> = {
      'factor-choice': async (page) => {
        await signIn(page)
        await page.getByRole('link', { name: 'Add a second factor' }).click()
        await page.getByRole('link', { name: 'Add a passkey' }).waitFor()
      },
      'factor-app': async (page) => {
        await signIn(page)
        await page.goto(`${service.baseUrl}/account/second-factor/app`)
        await page.getByText('Cannot scan the code?').click()
      },
      'factor-passkey': async (page) => {
        await signIn(page)
        await page.goto(`${service.baseUrl}/account/second-factor/passkey`)
      },
      'factor-codes': async (page) => {
        await steps['factor-app']!(page)
        const code = codesOf(service, await page.content())
        await page.getByLabel('Code', { exact: true }).fill(code())
        await page.getByRole('button', { name: 'Add the app' }).click()
        await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
      },
      'factor-account': async (page) => {
        await addAuthenticator(page)
        await steps['factor-codes']!(page)
        await addPasskey(page)
        await page.getByText('Passkey · not used yet').waitFor()
      },
      'factor-sign-in': async (page) => {
        await steps['factor-account']!(page)
        await page.getByRole('button', { name: 'Sign out', exact: true }).click()
        await signIn(page)
        await page.getByLabel('Code', { exact: true }).fill('000 000')
        await page.getByRole('button', { name: 'Continue' }).click()
        await page.getByRole('alert').filter({ visible: true }).waitFor()
      },
      'factor-confirm': async (page) => {
        await signIn(page)
        await page.goto(`${service.baseUrl}/account/confirm?return_to=/account`)
      },
    }

    describe.each(Object.keys(steps))('%s', (name) => {
      test('is sound in both themes, wide and at 320 px', async () => {
        for (const { name: look, colorScheme, viewport } of looks) {
          const page = await service.page({ colorScheme, viewport, deviceScaleFactor: 2 })
          const complaints: string[] = []
          page.on('console', (message) => {
            if (message.type() === 'error') complaints.push(message.text())
          })
          await steps[name]!(page)
          await picture(page, `${name}-${look}`)
          expect(await axeViolations(page)).toEqual([])
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
            viewport.width,
          )
          // Chromium reports a form's refused input as a failed load.
          expect(complaints.filter((one) => !one.includes('status of 422'))).toEqual([])
          await page.context().close()
          await removeAll()
        }
      })
    })
  },
  // surfaces/account/second-factors.test.ts runs on both engines.
  'sqlite',
)
