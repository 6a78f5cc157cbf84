import { Secret, TOTP } from 'otpauth'
import type { FormBrowser } from '#test/support/browser/form-browser.ts'
import type { Account, SignInService } from './sign-in-service.ts'

/** An authenticator app that a person added to their account. */
export interface AuthenticatorApp {
  /** The code that it shows now, or some 30-second steps from now. */
  code(steps?: number): string
  /** The codes that the page showed with the first factor. */
  readonly recoveryCodes: readonly string[]
}

/** Adds an authenticator app to the account of a signed-in browser, as a person does. */
export async function addApp(
  service: Pick<SignInService, 'ctx'>,
  browser: FormBrowser,
): Promise<AuthenticatorApp> {
  await browser.open('/account/second-factor/app')
  const code = codesOf(service, browser.html)
  await browser.submit('/account/second-factor/app', { code: code() })
  const recoveryCodes = [...browser.html.matchAll(/<code>([\w-]+)<\/code>/g)].map(([, one]) => one!)
  return { code, recoveryCodes }
}

interface PersonWithApp {
  readonly person: Account
  readonly browser: FormBrowser
  readonly app: AuthenticatorApp
}

let people = 0

/** A person with an authenticator app, signed in, a minute after they added it. */
export async function personWithApp(service: SignInService): Promise<PersonWithApp> {
  people += 1
  const person = await service.account(`app-person-${people}`)
  const browser = await service.signedIn(person)
  const app = await addApp(service, browser)
  service.advance(60_000)
  return { person, browser, app }
}

/** An app that scanned the code of the page. */
export function codesOf({ ctx }: Pick<SignInService, 'ctx'>, html: string) {
  const secret = /<code>([A-Z2-7 ]+)<\/code>/.exec(html)?.[1]?.replaceAll(' ', '')
  if (secret === undefined) throw new Error(`no secret on the page: ${html}`)
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return (steps = 0) => totp.generate({ timestamp: ctx.clock.now() + steps * 30_000 })
}
