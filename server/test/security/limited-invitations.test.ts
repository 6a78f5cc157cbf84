import { beforeAll, expect, test } from 'vitest'
import {
  baseUrl,
  describeSignIn,
  type Account,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

const email = 'flooded@example.com'
const message =
  /^No more invitations can be mailed to flooded@example\.com for now\. Try again in 24 hours, or give the link to them yourself \(by_mail: false\)\.$/

describeSignIn('an address that received its invitations of the day', (open) => {
  let service: SignInService

  beforeAll(async () => {
    const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'Parley <parley@example.com>' }
    service = await open({ ...mail, INVITATION_MAILS_LIMIT: '1', DEFAULT_PLAN: 'builder' })
    expect((await inviteIn(service.ada)).status).toBe(200)
  })

  const inviteIn = async (person: Account) => {
    const { cookies } = await service.signedIn(person)
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return await service.post(
      '/api/dashboard/operations/invite_member',
      { email, role: 'editor' },
      { origin: baseUrl, 'sec-fetch-site': 'same-origin', cookie },
    )
  }

  test('gets no more from the dashboard: 429 with Retry-After and a way on', async () => {
    const refused = await inviteIn(await service.account('second'))
    expect(refused.status).toBe(429)
    const seconds = Number(refused.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(23 * 60 * 60)
    expect(seconds).toBeLessThanOrEqual(24 * 60 * 60)
    expect(await refused.json()).toMatchObject({
      error: { code: 'invitations_limited', message: expect.stringMatching(message) },
    })
  })
})
