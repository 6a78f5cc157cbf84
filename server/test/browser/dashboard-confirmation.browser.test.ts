import { beforeAll, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import { person } from '#test/support/browser/browser-service.ts'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'

const tenMinutes = 10 * 60_000
let people = 0

describeDashboard('the confirmation dialog', (open) => {
  let service: DashboardService

  beforeAll(async () => {
    service = await open()
  })

  /** The form of a new key, sent when the last sign-in is too long ago. */
  const askForKey = async (name: string): Promise<Page> => {
    const who = await service.account(`${name}-${(people += 1)}`)
    const page = await service.visit('/settings/developer?create=true', { as: who })
    service.advance(tenMinutes)
    await page.getByLabel('Name', { exact: true }).fill('Pipeline')
    await page.getByRole('button', { name: 'Create Key' }).last().click()
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    return page
  }

  test('asks for the password, and the operation then continues', async () => {
    const page = await askForKey('Grace')
    const field = page.getByLabel('Your password')
    await field.fill('not the password')
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    await page.getByText('The password is wrong').waitFor()
    await field.fill(person.password)
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    await page.getByRole('status', { name: 'API key' }).waitFor()
    await page.context().close()
  })

  test('can be closed: the form stays with its input, and says what is missing', async () => {
    const page = await askForKey('Hedy')
    await page.getByLabel('Your password').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Confirm that it is you, then try again.').waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Pipeline')
    await page.getByRole('button', { name: 'Create Key' }).last().click()
    await page.getByLabel('Your password').fill(person.password)
    await page.keyboard.press('Enter')
    await page.getByRole('status', { name: 'API key' }).waitFor()
    await page.context().close()
  })

  test('comes before an agent is deleted, and no agent is reported as deleted without it', async () => {
    const who = await service.account('Ida')
    await service.call('create_app', { name: 'Helper' }, who)
    const page = await service.visit('/agents', { as: who })
    await page.getByRole('main').getByRole('link', { name: 'Helper' }).click()
    await page.getByRole('button', { name: 'More options for Helper' }).click()
    await page.getByRole('menuitem', { name: 'Delete agent' }).click()
    service.advance(tenMinutes)
    await page.getByLabel('Type Helper to confirm').fill('Helper')
    const remove = page.getByRole('button', { name: 'Delete agent' })
    await remove.click()
    const password = page.getByLabel('Your password')
    await password.waitFor()
    expect(await page.getByText('Agent Helper was deleted').count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByText('Confirm that it is you, then try again.').waitFor()
    await remove.click()
    await password.fill(person.password)
    await page.keyboard.press('Enter')
    await page.getByText('Agent Helper was deleted').waitFor()
    await page.waitForURL(/\/agents$/)
    expect(await service.call('list_apps', {}, who)).toMatchObject({ items: [] })
    await page.context().close()
  })

  test('is sound in both themes, wide and at 360 px', async () => {
    const page = await askForKey('Looks')
    await page.getByLabel('Your password').waitFor()
    await expectSoundLooks(page, 'dashboard-confirmation')
    await page.context().close()
  })
})
