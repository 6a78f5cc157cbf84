import { existsSync } from 'node:fs'
import { chromium, type Browser, type Page } from 'playwright-core'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  // Sites of tests embed the service, which is on this machine.
  '--disable-features=LocalNetworkAccessChecks',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The path of Chromium: `CHROMIUM_PATH`, Debian's, or Playwright's. Null if there is none. */
export function chromiumPath(): string | null {
  const candidates = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', chromium.executablePath()]
  return candidates.find((path) => path !== undefined && path !== '' && existsSync(path)) ?? null
}

/**
 * Explains in one line why browser tests are skipped and how to fix it, or returns null. If a
 * browser is required, its absence is an error.
 */
export function browserAbsence(): string | null {
  if (chromiumPath() !== null) return null
  const absence =
    'there is no Chromium: install it (on Debian: apt-get install chromium) or set CHROMIUM_PATH'
  if (process.env.REQUIRE_BROWSER === '1') throw new Error(absence)
  process.stderr.write(`Skipping the browser tests: ${absence}\n`)
  return absence
}

export async function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPath()
  if (executablePath === null) throw new Error('there is no Chromium')
  return await chromium.launch({ executablePath, headless: true, args: flags })
}

/** A platform authenticator with a fingerprint reader, as Chromium simulates it. */
export async function addAuthenticator(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}
