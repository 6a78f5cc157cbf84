import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** `CHROMIUM_PATH`, Debian's, or the one that Playwright installed; null where there is none. */
export function chromiumPath(): string | null {
  const candidates = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', chromium.executablePath()]
  return candidates.find((path) => path !== undefined && path !== '' && existsSync(path)) ?? null
}

/**
 * Why browser tests are passed over, in one line with the mend; null when they run. Where a browser
 * is required its absence is an error, so that nothing is passed over there.
 */
export function browserAbsence(): string | null {
  if (chromiumPath() !== null) return null
  const absence =
    'there is no Chromium: install it (on Debian: apt-get install chromium) or set CHROMIUM_PATH'
  if (process.env.REQUIRE_BROWSER === '1') throw new Error(absence)
  process.stderr.write(`Browser tests are left out: ${absence}\n`)
  return absence
}

export async function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPath()
  if (executablePath === null) throw new Error('there is no Chromium')
  return await chromium.launch({ executablePath, headless: true, args: flags })
}
