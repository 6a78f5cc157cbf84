/** RFC 6238 as every authenticator app supports it: SHA-1, six digits, 30 seconds. */
const stepMs = 30_000
/** Codes of the step before and after are accepted too, for clocks that differ (RFC 6238 §5.2). */
const window = 1

export interface AppSecret {
  /** Base32, which a person can also type into the app. */
  readonly secret: string
  /** For the QR code. */
  readonly uri: string
}

/** A new secret of 160 bits (RFC 4226 §4). */
export async function createAppSecret(email: string): Promise<AppSecret> {
  const { Secret, TOTP } = await import('otpauth')
  const secret = new Secret({ size: 20 })
  const totp = new TOTP({ issuer: 'Parley', label: email, secret })
  return { secret: secret.base32, uri: totp.toString() }
}

/** The QR code's address for a secret that exists. */
export async function uriOf(secret: string, email: string): Promise<string> {
  const { Secret, TOTP } = await import('otpauth')
  return new TOTP({
    issuer: 'Parley',
    label: email,
    secret: Secret.fromBase32(secret),
  }).toString()
}

/** The time step of a code; null for a wrong code. */
export async function stepOfCode(
  secret: string,
  code: string,
  now: number,
): Promise<number | null> {
  const { Secret, TOTP } = await import('otpauth')
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  const delta = totp.validate({ token: code, timestamp: now, window })
  return delta === null ? null : Math.floor(now / stepMs) + delta
}

/** True for what an authenticator app shows; people type it with and without a space. */
export function isAppCode(typed: string): boolean {
  return /^\d{6}$/.test(typed.replace(/\s/g, ''))
}
