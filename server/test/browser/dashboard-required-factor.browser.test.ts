import { beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { codesOf } from '#test/support/identity/authenticator-app.ts'
import { person } from '#test/support/browser/browser-service.ts'
import { addAuthenticator } from '#test/support/browser/chromium.ts'
import {
  describeDashboard,
  expectSound,
  type DashboardService,
} from '#test/support/browser/dashboard.ts'
import type { Person } from '#test/support/test-instance.ts'

const settings = '/settings/workspace'

describeDashboard('a workspace that requires a second factor of its owners', (open) => {
  let service: DashboardService
  let bob: Person

  beforeAll(async () => {
    service = await open()
    bob = await service.account('Bob', 'owner')
  })

  const requirement = (page: Page) =>
    page.getByRole('switch', { name: 'Owners need a second factor' })
  const inAdas = (path: string) => `${path}?workspace=${service.ada.workspaceId}`
  const needed = (page: Page) =>
    page.getByText("The workspace “Ada's workspace” requires a second factor of its owners.")
  /** Adds an authenticator app on the page that is open, and returns its recovery codes. */
  const addApp = async (page: Page) => {
    await page.getByRole('link', { name: 'Add an authenticator app' }).click()
    await page.getByText('Cannot scan the code?').click()
    const code = codesOf(service, await page.content())
    await page.getByLabel('Code', { exact: true }).fill(code())
    await page.getByRole('button', { name: 'Add the app' }).click()
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
    return await page.locator('.codes code').allTextContents()
  }
  const beginSignIn = async ({ email }: Person, path: string) => {
    const page = await service.page()
    const back = new URLSearchParams({ return_to: path })
    await page.goto(`${service.baseUrl}/login?${back.toString()}`)
    await page.getByLabel('Email', { exact: true }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    return page
  }

  test('an owner without a factor is led to add one, then turns the setting on', async () => {
    const page = await service.visit(settings)
    await requirement(page).click()
    await page.getByText('this would lock you out').waitFor()
    await page.getByRole('link', { name: 'Add a second factor' }).click()
    const [recoveryCode = ''] = await addApp(page)
    await page.getByRole('link', { name: 'I have saved them' }).click()
    await page.waitForURL(`**${settings}`)
    await requirement(page).click()
    await expect.poll(() => requirement(page).isChecked()).toBe(true)

    await page.goto(`${service.baseUrl}/account`)
    await page.getByRole('button', { name: 'Remove Authenticator app' }).click()
    await page.getByRole('heading', { name: 'Your last second factor' }).waitFor()
    await page.getByRole('link', { name: 'Your account' }).click()
    await page.getByText('Authenticator app · not used yet').waitFor()
    await page.context().close()

    const later = await beginSignIn(service.ada, settings)
    await later.getByLabel('Code', { exact: true }).fill(recoveryCode)
    await later.getByRole('button', { name: 'Continue' }).click()
    await requirement(later).waitFor()
    await later.context().close()
  })

  test('another owner sees only how to add a factor, and works on with a passkey', async () => {
    const path = inAdas(settings)
    await expectSound(service, 'factor-needed', path, (page) => needed(page).waitFor(), { as: bob })
    const page = await service.visit(path, { as: bob })
    await needed(page).waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
    await page.getByRole('link', { name: 'Add a second factor' }).click()
    await page.getByText("The workspace “Ada's workspace” requires").waitFor()
    await page.getByRole('link', { name: 'Add a passkey' }).click()
    const { cdp } = await addAuthenticator(page)
    await page.getByRole('button', { name: 'Create a passkey' }).click()
    await page.getByRole('link', { name: 'I have saved them' }).click()
    await requirement(page).waitFor()
    expect(page.url()).toContain(path)
    await page.goto(`${service.baseUrl}/account`)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()

    const query = new URLSearchParams({ return_to: path })
    await page.goto(`${service.baseUrl}/login?${query.toString()}`)
    await page.getByLabel('Email', { exact: true }).fill(bob.email)
    await page.getByLabel('Password', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await requirement(page).waitFor()
    await cdp.detach()
    await page.context().close()
  })

  test('an owner who is at work when the setting is turned on is led to add a factor', async () => {
    const eve = await service.account('Eve', 'owner')
    await service.call('set_second_factor_requirement', { required: false })
    const page = await service.visit(inAdas('/settings/members'), { as: eve })
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor()
    await service.call('set_second_factor_requirement', { required: true })
    await page.getByRole('link', { name: 'Jobs' }).click()
    await needed(page).waitFor()
    await page.context().close()
  })

  test('from the page that waits, the owner can switch to another workspace', async () => {
    const frank = await service.account('Frank', 'owner')
    const page = await service.visit(inAdas(settings), { as: frank })
    await needed(page).waitFor()
    await page.getByRole('button', { name: 'Switch workspace' }).click()
    await page.getByRole('menuitemradio', { name: "Frank's workspace" }).click()
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
    await page.context().close()
  })
})
