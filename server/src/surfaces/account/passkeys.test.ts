import { beforeAll, describe, expect, test } from 'vitest'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import {
  createSoftwarePasskey,
  userPresent,
  userVerified,
  type Ceremony,
  type Lies,
  type SoftwarePasskey,
} from '#test/support/browser/software-passkey.ts'
import {
  baseUrl,
  describeSignIn,
  type Account,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'

const step = '/login/second-factor'
const adding = '/account/second-factor/passkey'

/** What the form of a page passes to the browser. */
function ceremonyOn({ html }: FormBrowser): Ceremony {
  const options = /data-options="([^"]*)"/.exec(html)?.[1]?.replaceAll('&quot;', '"')
  return JSON.parse(options ?? 'null') as Ceremony // The service wrote it.
}

const forgeries: readonly (readonly [string, Lies])[] = [
  ['for another origin', { origin: 'https://localhost.evil.example' }],
  ['for the same host with another scheme', { origin: 'https://localhost:3000' }],
  ['for another port', { origin: 'http://localhost:3001' }],
  ['for a subdomain', { origin: 'http://evil.localhost:3000' }],
  ['for another relying party', { relyingParty: 'evil.example' }],
  ['for another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
  ['of a device that did not check its user', { flags: userPresent }],
  ['without anyone present', { flags: userVerified }],
  ['of the other ceremony', { type: 'webauthn.unknown' }],
]

describeSignIn('a passkey', (open) => {
  let service: SignInService

  beforeAll(async () => {
    service = await open()
  })

  let people = 0
  const withPasskey = async () => {
    people += 1
    const person = await service.account(`passkey-person-${people}`)
    const browser = await service.signedIn(person)
    const passkey = createSoftwarePasskey(baseUrl)
    await browser.open(adding)
    await browser.submit(adding, { answer: passkey.create(ceremonyOn(browser)) })
    expect(browser.html).toContain('Save your recovery codes')
    return { person, passkey }
  }
  const isSignedIn = (browser: FormBrowser) => browser.cookies.has('__Secure-parley_session')
  const answerAt = async (person: Account, passkey: SoftwarePasskey, lies: Lies = {}) => {
    const browser = await service.signedIn(person)
    await browser.submit(step, { answer: passkey.use(ceremonyOn(browser), lies) })
    return browser
  }

  test('signs in after the password', async () => {
    const { person, passkey } = await withPasskey()
    expect(isSignedIn(await answerAt(person, passkey))).toBe(true)
  })

  describe('does not sign in with an answer', () => {
    test.each(forgeries)('%s', async (_, lies) => {
      const { person, passkey } = await withPasskey()
      const browser = await answerAt(person, passkey, lies)
      expect(browser.response.status).toBe(422)
      expect(isSignedIn(browser)).toBe(false)
      expect(isSignedIn(await answerAt(person, passkey))).toBe(true)
    })

    test('of another person’s passkey, or signed by it', async () => {
      const [victim, attacker] = [await withPasskey(), await withPasskey()]
      const { id } = victim.passkey
      const lies: readonly Lies[] = [{}, { id }, { id, key: attacker.passkey.privateKey }]
      for (const one of lies) {
        const browser = await answerAt(victim.person, attacker.passkey, one)
        expect(browser.response.status).toBe(422)
        expect(isSignedIn(browser)).toBe(false)
      }
    })

    test('of a copy, whose counter did not increase', async () => {
      const { person, passkey } = await withPasskey()
      expect(isSignedIn(await answerAt(person, passkey, { signCount: 7 }))).toBe(true)
      for (const signCount of [7, 6, 1])
        expect(isSignedIn(await answerAt(person, passkey, { signCount }))).toBe(false)
    })

    test('that was used before, also in another browser and at the same time', async () => {
      const { person, passkey } = await withPasskey()
      const first = await service.signedIn(person)
      const fields = first.formOf(step)
      fields.set('answer', passkey.use(ceremonyOn(first)))
      const second = service.browser()
      for (const [name, value] of first.cookies) second.cookies.set(name, value)
      await Promise.all([first.post(step, fields), second.post(step, fields)])
      expect([first, second].filter(isSignedIn)).toHaveLength(1)
      const third = await service.signedIn(person)
      await third.submit(step, { answer: fields.get('answer') ?? '' })
      expect(isSignedIn(third)).toBe(false)
    })

    test('to a challenge of another person’s sign-in', async () => {
      const [victim, attacker] = [await withPasskey(), await withPasskey()]
      const own = await service.signedIn(attacker.person)
      const { challenge } = ceremonyOn(own)
      const browser = await answerAt(victim.person, attacker.passkey, { challenge })
      expect(isSignedIn(browser)).toBe(false)
    })
  })

  describe('is not added with an answer', () => {
    test.each(forgeries)('%s', async (_, lies) => {
      people += 1
      const person = await service.account(`passkey-person-${people}`)
      const browser = await service.signedIn(person)
      await browser.open(adding)
      const attested = lies.flags === undefined ? lies : { ...lies, flags: lies.flags | 0x40 }
      const answer = createSoftwarePasskey(baseUrl).create(ceremonyOn(browser), attested)
      await browser.submit(adding, { answer })
      expect(browser.response.status).toBe(422)
      expect(isSignedIn(await service.signedIn(person))).toBe(true)
    })
  })

  test('of one person cannot be added by another', async () => {
    const { passkey } = await withPasskey()
    const browser = await service.signedIn(await service.account('copying'))
    await browser.open(adding)
    await browser.submit(adding, { answer: passkey.create(ceremonyOn(browser)) })
    expect(browser.response.status).toBeGreaterThanOrEqual(400)
    expect(browser.html).not.toContain('recovery codes')
  })
})
