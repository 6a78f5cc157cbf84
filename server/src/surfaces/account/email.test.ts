import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createDeveloperKey } from '#features/api-keys/index.ts'
import { changeEmailOf, findUser } from '#features/identity/index.ts'
import { authenticateBearer } from '#features/grants/index.ts'
import { dayMs } from '#kernel/durations.ts'
import { PostOffice, postman } from '#test/support/servers/post-office.ts'
import {
  describeSignIn,
  unprove,
  type Account,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

describeSignIn('changing an email', (open) => {
  const office = new PostOffice()
  let service: SignInService
  let post: ReturnType<typeof postman>
  let people = 0
  let person: Account
  let target: string

  beforeAll(async () => {
    const mail = { SMTP_URL: await office.open(), MAIL_FROM: 'parley@example.com' }
    service = await open({ ...mail, MAIL_LINKS_LIMIT: '3' })
    post = postman(service)
  })
  beforeEach(async () => {
    office.letters.length = 0
    people += 1
    person = await service.account(`old-${people}`)
    target = `new-${people}@example.com`
  })
  afterAll(async () => {
    await post.stop()
    await office.close()
  })

  const emailOf = async ({ userId }: Account) => (await findUser(service.ctx, userId))?.email
  const request = async (email = target, current = person.password) => {
    const browser = await service.signedIn(person)
    await browser.open('/account/email')
    await browser.submit('/account/email', { email, current })
    await post.deliver()
    return browser
  }
  const change = async () => {
    const browser = await request()
    await browser.open(office.linksTo(target)[0] ?? '')
    await browser.submit('/account/email/confirm')
    await post.deliver()
    return browser
  }

  test('takes effect when the link from the new mailbox is confirmed, once', async () => {
    const browser = await request()
    expect(browser.html).toContain('Check your mail')
    expect(office.letters.map(({ to }) => to)).toEqual([[target]])
    const [link = ''] = office.linksTo(target)
    await browser.open(link)
    expect(await emailOf(person)).toBe(person.email)
    await browser.submit('/account/email/confirm')
    expect(await emailOf(person)).toBe(target)
    expect(await findUser(service.ctx, person.userId)).toMatchObject({ emailProof: 'mailbox' })
    await browser.open(link)
    expect(browser.response.status).toBe(410)
    await service.signedIn({ ...person, email: target })
  })

  test('does nothing for the owner of the mailbox who is not signed in to the account', async () => {
    await request()
    const [link = ''] = office.linksTo(target)
    const stranger = service.browser()
    await stranger.open(link)
    expect(stranger.url.pathname).toBe('/login')
    const another = await service.signedIn(await service.account(`other-${people}`))
    await another.open(link)
    expect(another.response.status).toBe(410)
    expect(await emailOf(person)).toBe(person.email)
  })

  test('needs the password, and counts wrong ones', async () => {
    const browser = await request(target, 'not this one')
    expect(browser.response.status).toBe(422)
    expect(browser.html).toContain('That is not your current password')
    expect(office.letters).toEqual([])
    for (let guess = 0; guess < 10; guess += 1) {
      await browser.open('/account/email')
      await browser.submit('/account/email', { email: target, current: `guess ${guess}` })
    }
    expect(browser.response.status).toBe(429)
  })

  test('of a person without a password needs a confirmation ten minutes after signing in', async () => {
    const { db } = service.ctx
    const browser = await service.signedIn(person)
    await db.write((tx) =>
      tx
        .updateTable('users')
        .set({ password_hash: null })
        .where('id', '=', person.userId)
        .execute(),
    )
    await browser.open('/account/email')
    const fields = browser.formOf('/account/email')
    fields.set('email', target)
    service.advance(10 * 60_000)
    await browser.post('/account/email', fields)
    await post.deliver()
    expect(browser.url.pathname).toBe('/account/confirm')
    expect(office.letters).toEqual([])
    await browser.open('/account/email')
    expect(browser.url.pathname).toBe('/account/confirm')
    const confirmed_at = service.ctx.clock.now()
    await db.write((tx) =>
      tx
        .updateTable('sign_in_sessions')
        .set({ confirmed_at })
        .where('user_id', '=', person.userId)
        .execute(),
    )
    await browser.post('/account/email', fields)
    await post.deliver()
    expect(browser.html).toContain('Check your mail')
    expect(office.letters.map(({ to }) => to)).toEqual([[target]])
  })

  test('to the address of another account mails nothing, and the page does not show it', async () => {
    const { email } = await service.account(`taken-${people}`)
    const browser = await request(email)
    expect(browser.response.status).toBe(200)
    expect(browser.html).toContain('Check your mail')
    expect(office.letters).toEqual([])
  })

  test('fails if another account gets the address before the link is confirmed', async () => {
    const browser = await request()
    const other = await service.account(`other-${people}`)
    await changeEmailOf(service.ctx, { email: other.email, to: target })
    await browser.open(office.linksTo(target)[0] ?? '')
    await browser.submit('/account/email/confirm')
    expect(browser.response.status).toBe(422)
    expect(await emailOf(person)).toBe(person.email)
  })

  test('is limited by the letters per hour', async () => {
    for (let round = 0; round < 3; round += 1)
      expect((await request(`limit-${people}-${round}@example.com`)).response.status).toBe(200)
    const late = await request()
    expect(late.response.status).toBe(429)
    expect(late.html).toContain('Too many emails')
  })

  test('of several requests, only the newest link works', async () => {
    const browser = await request()
    const [first = ''] = office.linksTo(target)
    await request(`newer-${target}`)
    await browser.open(first)
    expect(browser.response.status).toBe(410)
  })

  test('is undone with the link that the old mailbox receives, which ends all credentials', async () => {
    const browser = await change()
    expect(office.letters.at(-1)?.to).toEqual([person.email])
    const [undo = ''] = office.linksTo(person.email)
    const holder = { ...person, role: 'owner' } as const
    const { key } = await createDeveloperKey(service.ctx, holder, { name: 'of the thief' })
    const owner = service.browser()
    await owner.open(undo)
    expect(await emailOf(person)).toBe(target)
    await owner.submit('/account/email/undo', { password: '1234567890' })
    expect(owner.response.status).toBe(422)
    await owner.submit('/account/email/undo', { password: 'chosen by the owner' })
    expect(owner.html).toContain('The change is undone')
    expect(await emailOf(person)).toBe(person.email)
    await expect(authenticateBearer(service.ctx, key)).rejects.toMatchObject({
      code: 'token_unknown',
    })
    await browser.open('/account')
    expect(browser.url.pathname).toBe('/login')
    await browser.submit('/login', { email: person.email, password: person.password })
    expect(browser.response.status).toBe(422)
    const back = await service.signedIn({ ...person, password: 'chosen by the owner' })
    expect(back.url.pathname).toBe('/home/start')
    await owner.open(undo)
    expect(owner.response.status).toBe(410)
  })

  test('cannot be undone after fourteen days', async () => {
    await change()
    const [undo = ''] = office.linksTo(person.email)
    service.advance(14 * dayMs)
    const owner = service.browser()
    await owner.open(undo)
    expect(owner.response.status).toBe(410)
  })

  test('of an address that nothing proved sends no notice there: another person may read it', async () => {
    await unprove(service, person)
    await change()
    expect(office.letters.map(({ to }) => to)).toEqual([[target]])
  })

  test('to the same address proves an address that nothing proved', async () => {
    await unprove(service, person)
    const browser = await request(person.email)
    await browser.open(office.linksTo(person.email)[0] ?? '')
    await browser.submit('/account/email/confirm')
    expect(await findUser(service.ctx, person.userId)).toMatchObject({ emailProof: 'mailbox' })
    await browser.open('/account/email')
    await browser.submit('/account/email', { email: person.email, current: person.password })
    expect(browser.response.status).toBe(422)
    expect(browser.html).toContain('This is already your email')
  })

  test('by an operator takes effect at once and ends mailed links', async () => {
    const browser = await request()
    const [link = ''] = office.linksTo(target)
    const vouched = `vouched-${people}@example.com`
    const changed = await changeEmailOf(service.ctx, { email: person.email, to: vouched })
    expect(changed.user).toMatchObject({ email: vouched, emailProof: 'operator' })
    await browser.open(link)
    expect(browser.response.status).toBe(410)
    const taken = changeEmailOf(service.ctx, { email: vouched, to: service.ada.email })
    await expect(taken).rejects.toMatchObject({ code: 'email_taken' })
  })

  test('without a mail server is left to an operator', async () => {
    const silent = await open()
    const browser = await silent.signedIn()
    await browser.open('/account')
    expect(browser.html).toContain('href="/account/email"')
    await browser.open('/account/email')
    expect(browser.html).toContain('only an operator can change your email')
    expect(browser.html).not.toContain('Mail me a link')
  })
})
