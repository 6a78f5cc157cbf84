import { beforeAll, expect, test } from 'vitest'
import { resetPassword, resetUserSecondFactors } from '#features/identity/index.ts'
import { minuteMs } from '#kernel/durations.ts'
import { personWithApp } from '#test/support/identity/authenticator-app.ts'
import { describeSignIn, type SignInService } from '#test/support/identity/sign-in-service.ts'

const step = '/login/second-factor'

describeSignIn('changing second factors', (open) => {
  let service: SignInService

  beforeAll(async () => {
    service = await open()
  })

  const withApp = () => personWithApp(service)

  test('without the last factor, the password is enough again and the recovery codes end', async () => {
    const { person, browser } = await withApp()
    await browser.open('/account')
    await browser.submit('/account/second-factor/remove')
    expect((await service.signedIn(person)).url.pathname).toBe('/home/start')
    const codes = await service.ctx.db.read
      .selectFrom('recovery_codes')
      .select('hash')
      .where('user_id', '=', person.userId)
      .execute()
    expect(codes).toEqual([])
  })

  test('factors change only after a confirmation, which a fresh sign-in is', async () => {
    const { browser, app } = await withApp()
    await browser.open('/account')
    const fields = browser.formOf('/account/second-factor/remove')
    service.advance(10 * minuteMs)
    for (const path of ['remove', 'recovery-codes', 'app', 'passkey']) {
      await browser.post(`/account/second-factor/${path}`, fields)
      expect(browser.response.status).toBe(403)
    }
    await browser.open('/account/second-factor/app')
    expect(browser.url.pathname).toBe('/account/confirm')
    await browser.submit('/account/confirm', { code: app.code(50) })
    expect(browser.response.status).toBe(422)
    await browser.submit('/account/confirm', { code: app.code() })
    expect(browser.url.pathname).toBe('/account/second-factor/app')
  })

  test('a person without a factor confirms with the password, and guessing it is limited', async () => {
    const person = await service.account('plain')
    const browser = await service.signedIn(person)
    service.advance(10 * minuteMs)
    await browser.open('/account/second-factor/app')
    for (let count = 0; count < 10; count += 1) {
      await browser.submit('/account/confirm', { password: 'a guess' })
      expect(browser.response.status).toBe(422)
    }
    await browser.submit('/account/confirm', { password: person.password })
    expect(browser.response.status).toBe(429)
  })

  test('a person with a factor does not confirm with the password', async () => {
    const { person, browser } = await withApp()
    service.advance(10 * minuteMs)
    await browser.open('/account/confirm')
    const fields = browser.formOf('/account/confirm')
    fields.set('password', person.password)
    await browser.post('/account/confirm', fields)
    expect(browser.response.status).toBe(422)
  })

  test('another person’s factor cannot be removed', async () => {
    const [mine, theirs] = [await withApp(), await withApp()]
    await mine.browser.open('/account')
    const fields = mine.browser.formOf('/account/second-factor/remove')
    await theirs.browser.open('/account')
    const other = theirs.browser.formOf('/account/second-factor/remove')
    fields.set('id', other.get('id')!)
    await mine.browser.post('/account/second-factor/remove', fields)
    expect(mine.browser.response.status).toBe(404)
    expect((await service.signedIn(theirs.person)).url.pathname).toBe(step)
  })

  test('an operator’s password reset ends factors, recovery codes and half-finished sign-ins', async () => {
    const { person, app } = await withApp()
    const half = await service.signedIn(person)
    const password = 'a phrase that the operator chose'
    await resetPassword(service.ctx, { email: person.email, password })
    await half.submit(step, { code: app.recoveryCodes[0]! })
    expect(half.response.status).toBe(410)
    const browser = await service.signedIn({ ...person, password })
    expect(browser.url.pathname).toBe('/home/start')
    await browser.open('/account')
    expect(browser.html).toContain('You have no second factor. With a passkey')
  })

  test('an operator resets second factors alone; the password stays', async () => {
    const { person, browser } = await withApp()
    const { removed } = await resetUserSecondFactors(service.ctx, person.email)
    expect(removed).toBe(1)
    await browser.open('/account')
    expect(browser.url.pathname).toBe('/login')
    expect((await service.signedIn(person)).url.pathname).toBe('/home/start')
  })
})
