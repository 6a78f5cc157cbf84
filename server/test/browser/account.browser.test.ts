import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDashboard, type DashboardService } from '#test/support/browser/dashboard.ts'
import { expectSoundLooks } from '#test/support/browser/looks.ts'
import { person } from '#test/support/browser/browser-service.ts'
import { PostOffice, postman } from '#test/support/servers/post-office.ts'

describeDashboard('the account of a person', (open) => {
  const office = new PostOffice()
  let service: DashboardService
  let post: ReturnType<typeof postman>

  beforeAll(async () => {
    service = await open({ SMTP_URL: await office.open(), MAIL_FROM: 'parley@example.com' })
    post = postman(service)
  })
  afterAll(async () => {
    await post.stop()
    await office.close()
  })

  test('gets another name, which the dashboard shows', async () => {
    const page = await service.visit('/agents')
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Your account' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Ada King')
    await page.getByRole('button', { name: 'Change name' }).click()
    await page.getByText('Your name was changed.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Ada King' }).waitFor()
    await expectSoundLooks(page, 'account-name')
    await page.getByRole('link', { name: 'Back to Parley' }).click()
    await page.getByRole('button', { name: /^Account.*Ada King/ }).waitFor()
  })

  test('gets another email once the link from the new mailbox is confirmed', async () => {
    const grace = await service.account('Grace')
    const page = await service.visit('/account', { as: grace })
    await page.getByRole('link', { name: 'Change your email' }).click()
    await page.getByLabel('New email').fill('grace.hopper@example.com')
    await page.getByLabel('Current password').fill(person.password)
    await expectSoundLooks(page, 'account-email')
    await page.getByRole('button', { name: 'Mail me a link' }).click()
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor()
    await page.getByText('your email stays grace@example.com').waitFor()
    await post.deliver()
    const [link = ''] = office.linksTo('grace.hopper@example.com')
    await page.goto(service.baseUrl + link)
    await expectSoundLooks(page, 'account-email-confirm')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('grace.hopper@example.com').waitFor()
    expect(await page.getByText('grace@example.com', { exact: true }).count()).toBe(0)
    await page.goto(`${service.baseUrl}/agents`)
    await page.getByRole('button', { name: /^Account.*grace\.hopper@example\.com/ }).waitFor()
  })
})
