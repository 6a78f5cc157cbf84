import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findUserByEmail } from '#features/identity/index.ts'
import { inviteMember } from '#features/members/index.ts'
import { roleIn } from '#features/workspaces/index.ts'
import { PostOffice, postman } from '#test/support/servers/post-office.ts'
import {
  describeSignIn,
  unprove,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

const password = 'of the attacker'
const pathOf = (link: string | null) => new URL(link ?? '').pathname

describeSignIn('an attacker who invites the address of a victim', (open) => {
  let service: SignInService
  const victim = 'ceo@victim.example'

  beforeAll(async () => {
    service = await open()
  })

  test.each([
    ['with the link of an invitation for it', victim],
    ['with the link of an invitation for anyone', undefined],
  ])('gets no account %s', async (_how, email) => {
    const input = { role: 'admin', email } as const
    const { link } = await inviteMember(service.ctx, service.ada, input)
    const path = pathOf(link)
    const browser = service.browser()
    await browser.open(path)
    expect(browser.html).toContain('Ask an operator of this service for a set-up link')
    expect(browser.html).not.toContain('Mail me a link')
    await browser.submit(path, { email: victim, name: 'CEO', password, proof: 'x'.repeat(43) })
    expect(browser.response.status).toBe(422)
    expect(await findUserByEmail(service.ctx, victim)).toBeNull()
    await browser.open('/account')
    expect(browser.url.pathname).toBe('/login')
  })
})

describeSignIn('with a mail server, a newcomer', (open) => {
  const office = new PostOffice()
  let service: SignInService
  let post: ReturnType<typeof postman>
  let people = 0

  beforeAll(async () => {
    const mail = { SMTP_URL: await office.open(), MAIL_FROM: 'parley@example.com' }
    service = await open({ ...mail, MAIL_LINKS_LIMIT: '3' })
    post = postman(service)
  })
  beforeEach(() => {
    office.letters.length = 0
    people += 1
  })
  afterAll(async () => {
    await post.stop()
    await office.close()
  })

  const newcomer = () => `newcomer-${people}@example.com`
  const invite = async (email?: string, byMail?: boolean) =>
    await inviteMember(service.ctx, service.ada, { role: 'editor', email, byMail })
  /** A browser at its own address, because requests of one address are limited. */
  const browserAt = () => service.browser()

  test('joins with the link that their mailbox receives, and not with the one that was passed on', async () => {
    const path = pathOf((await invite()).link)
    const browser = browserAt()
    await browser.open(path)
    await browser.submit(`${path}/mail`, { to: newcomer() })
    expect(browser.html).toContain('Check your mail')
    expect(await findUserByEmail(service.ctx, newcomer())).toBeNull()
    await post.deliver()
    expect(office.letters.map(({ to }) => to)).toEqual([[newcomer()]])
    const [mailed = ''] = office.linksTo(newcomer())
    await browser.open(mailed)
    expect(browser.html).toContain(`For <strong>${newcomer()}</strong>`)
    await browser.submit(path, { name: 'New', password, email: 'ceo@victim.example' })
    expect(browser.url.pathname).toBe('/agents')
    const user = await findUserByEmail(service.ctx, newcomer())
    expect(user).toMatchObject({ emailProof: 'mailbox', name: 'New' })
    expect(await roleIn(service.ctx.db.read, user!.id, service.ada.workspaceId)).toBe('editor')
    expect(await findUserByEmail(service.ctx, 'ceo@victim.example')).toBeNull()
  })

  test('whose invitation names the address gets the link there, whatever the form contains', async () => {
    const path = pathOf((await invite(newcomer(), false)).link)
    const browser = browserAt()
    await browser.open(path)
    await browser.submit(`${path}/mail`, { to: 'attacker@example.com' })
    await post.deliver()
    expect(office.letters.map(({ to }) => to)).toEqual([[newcomer()]])
  })

  test('cannot use the proof of one invitation for another one', async () => {
    const [first, second] = [pathOf((await invite()).link), pathOf((await invite()).link)]
    const elsewhere = await open({
      SMTP_URL: service.ctx.config.smtpUrl ?? '',
      MAIL_FROM: 'parley@example.com',
    })
    const browser = service.browser()
    await browser.open(first)
    await browser.submit(`${first}/mail`, { to: newcomer() })
    await post.deliver()
    const proof = new URL(office.linksTo(newcomer())[0] ?? '', 'http://x').searchParams.get('proof')
    await browser.open(`${second}?proof=${proof}`)
    expect(browser.html).not.toContain(`For <strong>${newcomer()}</strong>`)
    await browser.submit(second, { email: newcomer(), password, proof: proof ?? '' })
    expect(browser.response.status).toBe(422)
    expect(await findUserByEmail(service.ctx, newcomer())).toBeNull()
    expect(await findUserByEmail(elsewhere.ctx, newcomer())).toBeNull()
  })

  test('can request a limited number of letters', async () => {
    const limited = await open({
      SMTP_URL: service.ctx.config.smtpUrl ?? '',
      MAIL_FROM: 'parley@example.com',
      MAIL_LINKS_LIMIT: '3',
    })
    const { link } = await inviteMember(limited.ctx, limited.ada, { role: 'viewer' })
    const path = pathOf(link)
    const browser = limited.browser()
    for (let round = 0; round < 4; round += 1) {
      await browser.open(path)
      await browser.submit(`${path}/mail`, { to: `mail-${round}@example.com` })
    }
    expect(browser.response.status).toBe(429)
    expect(Number(browser.response.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  describe('whose address another person took before addresses had to be proven', () => {
    test('takes over the account with the mailed invitation, and the other person is out', async () => {
      const squat = await service.account(`squatted-${people}`)
      await unprove(service, squat)
      const squatter = await service.signedIn(squat)
      await invite(squat.email)
      await post.deliver()
      const [mailed = ''] = office.linksTo(squat.email)
      const owner = service.browser()
      await owner.open(mailed)
      await owner.submit(mailed, { password: 'a newcomer’s own choice', name: 'Owner' })
      expect(owner.url.pathname).toBe('/agents')
      await squatter.open('/account')
      expect(squatter.url.pathname).toBe('/login')
      await squatter.submit('/login', { email: squat.email, password: squat.password })
      expect(squatter.response.status).toBe(422)
      expect(await findUserByEmail(service.ctx, squat.email)).toMatchObject({
        emailProof: 'mailbox',
      })
    })

    test('keeps what is theirs if they know the password: the account is proven', async () => {
      const early = await service.account(`early-${people}`)
      await unprove(service, early)
      const before = await service.signedIn(early)
      await invite(early.email)
      await post.deliver()
      const [mailed = ''] = office.linksTo(early.email)
      const browser = service.browser()
      await browser.open(mailed)
      await browser.submit(mailed, { password: early.password })
      expect(browser.url.pathname).toBe('/agents')
      await before.open('/account')
      expect(before.html).toContain(early.email)
      expect(await findUserByEmail(service.ctx, early.email)).toMatchObject({
        emailProof: 'mailbox',
      })
    })
  })
})
