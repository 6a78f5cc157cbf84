import { createSetupLink } from '#features/identity/index.ts'
import { codesOf } from '#test/support/identity/authenticator-app.ts'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import type { OpenIdServer } from '#test/support/servers/openid-server.ts'
import type { PostOffice } from '#test/support/servers/post-office.ts'
import {
  baseUrl,
  type Account,
  type SignInService,
} from '#test/support/identity/sign-in-service.ts'
import { createSoftwarePasskey, type Ceremony } from '#test/support/browser/software-passkey.ts'
import { textsOf } from './planted-secrets.ts'

type Planted = Record<string, string>

interface Ports {
  readonly service: SignInService
  readonly provider: OpenIdServer
  readonly office: PostOffice
  /** Sends the letters that wait. */
  deliver(): Promise<unknown>
  /** Keeps a page that shows an error. */
  onRefusal(html: string): void
}

export interface PersonalSecrets {
  readonly planted: Planted
  /** What the database contained while letters waited to be sent. */
  readonly waiting: readonly { readonly at: string; readonly text: string }[]
}

/** Uses, correctly and wrongly, every secret that a person's account has. */
export async function plantPersonal(ports: Ports): Promise<PersonalSecrets> {
  const { service } = ports
  const person = await service.account('factored')
  const browser = await service.signedIn(person)
  const app = await plantApp(ports, person, browser)
  const passkey = await plantPasskey(ports, browser)
  const mail = await plantMail(ports, person, browser)
  const openId = await plantOpenId(ports)
  const { setup } = await createSetupLink(service.ctx, { email: 'newcomer@example.com' })
  const guest = service.browser()
  await guest.open(`/setup?token=${setup.token}`)
  await guest.submit('/setup', { password: 'short' })
  // The form contains its own token, like the link that opened it.
  ports.onRefusal(guest.html.replaceAll(setup.token, ''))
  const planted: Planted = {
    ...app,
    ...passkey,
    ...mail.planted,
    ...openId,
    operatorSetupToken: setup.token,
    ...Object.fromEntries([...browser.cookies].map(([name, value]) => [`own ${name}`, value])),
  }
  return { planted, waiting: mail.waiting }
}

async function plantApp(
  { service, onRefusal }: Ports,
  person: Account,
  browser: FormBrowser,
): Promise<Planted> {
  const page = '/account/second-factor/app'
  await browser.open(page)
  const spaced = /<code>([A-Z2-7 ]+)<\/code>/.exec(browser.html)?.[1] ?? ''
  const code = codesOf(service, browser.html)
  await browser.submit(page, { code: 'wrong' })
  await browser.submit(page, { code: code() })
  const recovery = [...browser.html.matchAll(/<code>([\w-]+)<\/code>/g)].map(([, one = '']) => one)
  const [used = '', kept = ''] = recovery
  const half = await service.signedIn(person)
  const halfToken = half.cookies.get('__Secure-parley_half') ?? ''
  for (const wrong of [`${kept}x`, spaced, halfToken]) {
    await half.submit('/login/second-factor', { code: wrong })
    onRefusal(half.html)
  }
  await half.submit('/login/second-factor', { code: used })
  const secret = spaced.replaceAll(' ', '')
  return {
    appSecret: secret,
    shownAppSecret: spaced,
    halfToken,
    usedCode: used,
    recoveryCode: kept,
  }
}

async function plantPasskey({ onRefusal }: Ports, browser: FormBrowser): Promise<Planted> {
  const page = '/account/second-factor/passkey'
  const challengeOn = ({ html }: FormBrowser) => {
    const options = /data-options="([^"]*)"/.exec(html)?.[1]?.replaceAll('&quot;', '"')
    return JSON.parse(options ?? 'null') as Ceremony // The service wrote it.
  }
  const passkey = createSoftwarePasskey(baseUrl)
  await browser.open(page)
  const first = challengeOn(browser)
  const wrong = passkey.create(first, { origin: 'https://evil.example' })
  await browser.submit(page, { answer: wrong })
  // The page then shows the next challenge, which only its own browser may see.
  onRefusal(browser.html.replaceAll(challengeOn(browser).challenge, ''))
  const second = challengeOn(browser)
  await browser.submit(page, { answer: passkey.create(second) })
  return { firstChallenge: first.challenge, secondChallenge: second.challenge }
}

async function plantMail(
  { service, office, deliver, onRefusal }: Ports,
  { email, password }: Account,
  browser: FormBrowser,
) {
  const target = 'moved@example.com'
  await browser.open('/account/email')
  await browser.submit('/account/email', { email: target, current: password })
  const waiting = await textsOf(service.ctx.db)
  await deliver()
  const [proof = ''] = office.linksTo(target)
  await browser.open(`${proof}x`)
  onRefusal(browser.html)
  await browser.open(proof)
  await browser.submit('/account/email/confirm')
  await deliver()
  const [undo = ''] = office.linksTo(email)
  const guest = service.browser()
  await guest.open(`${undo}x`)
  onRefusal(guest.html)
  const tokenOf = (link: string) => new URL(link, baseUrl).searchParams.get('token') ?? ''
  return { planted: { proofToken: tokenOf(proof), undoToken: tokenOf(undo) }, waiting }
}

async function plantOpenId({ service, provider, onRefusal }: Ports): Promise<Planted> {
  const { email } = await service.account('at-provider')
  provider.person = { sub: 'planted-1', email, email_verified: true }
  const browser = service.browser()
  const address = await browser.open('/login/oidc?return_to=/account')
  const question = new URL(address ?? '')
  const back = await fetch(question, { redirect: 'manual' })
  const { pathname, search } = new URL(back.headers.get('location') ?? '')
  await browser.open(pathname + search)
  const replay = service.browser()
  await replay.open(pathname + search)
  onRefusal(replay.html)
  const logout = provider.logoutToken({ sub: 'planted-1' })
  for (const logout_token of [logout, logout, `${logout}x`]) {
    const form = new URLSearchParams({ logout_token })
    const response = await service.post('/login/oidc/back-channel-logout', form)
    onRefusal(await response.text())
  }
  const [code = '', accessToken = '', idToken = ''] = provider.issued
  return {
    openIdCode: code,
    openIdState: question.searchParams.get('state') ?? '',
    openIdNonce: question.searchParams.get('nonce') ?? '',
    openIdAccessToken: accessToken,
    idToken,
    logoutToken: logout,
  }
}
