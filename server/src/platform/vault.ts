import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
} from 'node:crypto'

/** Seals secrets that must be readable again: provider keys, action secrets. */
export interface Vault {
  /** AES-256-GCM: base64url of nonce (12 bytes), tag (16 bytes) and ciphertext. */
  seal(plain: string): string
  /** @throws Error when the text was sealed with another key or has been changed. */
  open(sealed: string): string
  /** HMAC-SHA256 in base64url, under a key that is derived for this purpose (RFC 5869). */
  mac(purpose: string, text: string): string
  /** Distinguishes keys without revealing them. */
  readonly fingerprint: string
}

const nonceLength = 12
const tagLength = 16

/** @param secretKey 32 bytes as 64 hexadecimal characters. */
export function createVault(secretKey: string): Vault {
  const key = Buffer.from(secretKey, 'hex')
  if (key.length !== 32) throw new Error('The secret key must be 32 bytes')
  const derived = new Map<string, Buffer>()
  function keyFor(purpose: string): Buffer {
    const known = derived.get(purpose)
    if (known !== undefined) return known
    const made = Buffer.from(hkdfSync('sha256', key, '', `parley ${purpose}`, 32))
    derived.set(purpose, made)
    return made
  }
  return {
    mac: (purpose, text) => createHmac('sha256', keyFor(purpose)).update(text).digest('base64url'),
    fingerprint: createHash('sha256')
      .update('parley-secret-key')
      .update(key)
      .digest('hex')
      .slice(0, 16),
    seal(plain) {
      const nonce = randomBytes(nonceLength)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const ciphertext = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceLength))
      decipher.setAuthTag(bytes.subarray(nonceLength, nonceLength + tagLength))
      return (
        decipher.update(bytes.subarray(nonceLength + tagLength), undefined, 'utf8') +
        decipher.final('utf8')
      )
    },
  }
}
