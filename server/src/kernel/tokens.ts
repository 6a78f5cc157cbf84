import { createHash, randomBytes, randomInt } from 'node:crypto'

/** The prefix of a bearer credential shows its kind. */
export const tokenPrefixes = {
  chatKey: 'svc_ck_',
  developerKey: 'svc_sk_',
  acpKey: 'acp_',
  accessToken: 'svc_at_',
  refreshToken: 'svc_rt_',
} as const

export interface MintedToken {
  /** Shown once, never stored. */
  readonly token: string
  /** SHA-256 in lowercase hex, which the database stores. */
  readonly hash: string
  readonly last4: string
}

/** A bearer credential: the prefix and 32 random bytes as 43 base64url characters. */
export function mintToken(prefix: string): MintedToken {
  return minted(prefix + randomBytes(32).toString('base64url'))
}

const alphanumeric = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `acp_` and 32 random alphanumeric characters (interface: API key, ACP). */
export function mintAcpKey(): MintedToken {
  const characters = Array.from({ length: 32 }, () => alphanumeric[randomInt(alphanumeric.length)])
  return minted(tokenPrefixes.acpKey + characters.join(''))
}

/** SHA-256 of a credential in lowercase hex. A lookup by hash leaks nothing through timing. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

function minted(token: string): MintedToken {
  return { token, hash: hashToken(token), last4: token.slice(-4) }
}
