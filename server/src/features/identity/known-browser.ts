import { z } from 'zod'
import { mintToken } from '#kernel/tokens.ts'
import type { Context } from '#platform/context.ts'
import { accountDigest } from './guess-limits.ts'

/**
 * A device cookie (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"): it shows that an
 * account signed in with this browser before, so that guesses made elsewhere cannot lock it out. It
 * opens nothing, and only this service can seal it.
 */
const knownBrowser = z.strictObject({
  purpose: z.literal('known-browser'),
  /** Random; wrong passwords count against it. */
  id: z.string(),
  /** When each account signed in last, by the digest of its e-mail. */
  signedInAt: z.record(z.string(), z.number()),
})

type KnownBrowser = z.infer<typeof knownBrowser>
type CookieContext = Pick<Context, 'vault' | 'clock' | 'config'>

/** More people than share a browser; bounds the size of the cookie. */
const maxAccounts = 5

/** The id of a browser that this account signed in with before; null for any other. */
export function knownBrowserId(
  ctx: CookieContext,
  cookie: string | null,
  email: string,
): string | null {
  const browser = openCookie(ctx, cookie)
  const at = browser?.signedInAt[accountDigest(email)]
  return browser === null || at === undefined || !isRecent(ctx, at) ? null : browser.id
}

/** The device cookie for a browser after a sign-in; it keeps the other accounts of the old cookie. */
export function rememberBrowser(ctx: CookieContext, cookie: string | null, email: string): string {
  const known = openCookie(ctx, cookie)
  const account = accountDigest(email)
  const others = Object.entries(known?.signedInAt ?? {})
    .filter(([digest, at]) => digest !== account && isRecent(ctx, at))
    .sort(([, a], [, b]) => b - a)
    .slice(0, maxAccounts - 1)
  const browser: KnownBrowser = {
    purpose: 'known-browser',
    id: known?.id ?? mintToken('').token,
    signedInAt: Object.fromEntries([[account, ctx.clock.now()], ...others]),
  }
  return ctx.vault.seal(JSON.stringify(browser))
}

function isRecent({ clock, config }: CookieContext, at: number): boolean {
  return clock.now() - at < config.knownBrowserSeconds * 1000
}

function openCookie({ vault }: CookieContext, cookie: string | null): KnownBrowser | null {
  if (cookie === null) return null
  try {
    return knownBrowser.parse(JSON.parse(vault.open(cookie)))
  } catch {
    // Not sealed by this service, or with an earlier secret key: the browser is unknown.
    return null
  }
}
