import { hash, randomBytes, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

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

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function randomBase62(length: number): string {
  return Array.from({ length }, () => base62[randomInt(base62.length)]).join('')
}

/** `acp_` and 32 random alphanumeric characters (interface: API key, ACP). */
export function mintAcpKey(): MintedToken {
  return minted(tokenPrefixes.acpKey + randomBase62(32))
}

/** 43 characters of base62 are 256 bits. */
const randomLength = 43
/** The largest CRC-32 has six digits in base62. */
const checksumLength = 6

/**
 * A chat key or a developer key in the format of GitHub's tokens: prefix, random characters, and
 * their CRC-32 in base62. With the checksum, a leak scanner recognises a key without asking.
 */
export function mintKey(prefix: string): MintedToken {
  const random = randomBase62(randomLength)
  return minted(prefix + random + checksumOf(random))
}

/** Keys of earlier releases: 32 random bytes in base64url, without a checksum. */
const oldForm = /^[\w-]{43}$/
const newForm = /^[0-9A-Za-z]{49}$/

/** False for a text that is no key of this prefix. A key with a checksum must have the right one. */
export function hasKeyForm(token: string, prefix: string): boolean {
  if (!token.startsWith(prefix)) return false
  const rest = token.slice(prefix.length)
  if (oldForm.test(rest)) return true
  return newForm.test(rest) && checksumOf(rest.slice(0, randomLength)) === rest.slice(randomLength)
}

function checksumOf(random: string): string {
  let left = crc32(random)
  let digits = ''
  for (let place = 0; place < checksumLength; place++) {
    digits = base62.charAt(left % base62.length) + digits
    left = Math.floor(left / base62.length)
  }
  return digits
}

/** SHA-256 of a credential in lowercase hex. A lookup by hash leaks nothing through timing. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}

function minted(token: string): MintedToken {
  return { token, hash: hashToken(token), last4: token.slice(-4) }
}
