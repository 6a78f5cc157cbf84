import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { hasKeyForm, mintAcpKey, mintKey, mintToken, tokenPrefixes } from './tokens.ts'

const { chatKey, developerKey, acpKey } = tokenPrefixes
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A leak scanner's own reading of the format. */
function scan(text: string): string[] {
  const found = [...text.matchAll(/\bsvc_[sc]k_([0-9A-Za-z]{43})([0-9A-Za-z]{6})\b/g)]
  return found
    .filter(([, random = '', checksum = '']) => {
      const read = [...checksum].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
      return read === crc32(random)
    })
    .map(([key]) => key)
}

describe('a new key', () => {
  test.each([chatKey, developerKey])('%s is recognised by its checksum', (prefix) => {
    for (let i = 0; i < 200; i++) {
      const { token, last4 } = mintKey(prefix)
      expect(scan(`KEY="${token}"`)).toEqual([token])
      expect(hasKeyForm(token, prefix)).toBe(true)
      expect(token.endsWith(last4)).toBe(true)
    }
  })

  test('with one wrong character is recognised as no key', () => {
    const { token } = mintKey(developerKey)
    for (let at = developerKey.length; at < token.length; at++) {
      const wrong = token[at] === 'x' ? 'y' : 'x'
      const changed = token.slice(0, at) + wrong + token.slice(at + 1)
      expect(hasKeyForm(changed, developerKey)).toBe(false)
      expect(scan(changed)).toEqual([])
    }
  })

  test('has the checksum of a published example', () => {
    const random = 'a'.repeat(43)
    expect(hasKeyForm(`${chatKey}${random}4SHDYg`, chatKey)).toBe(true)
  })

  test('has only the prefix of its kind', () => {
    expect(hasKeyForm(mintKey(chatKey).token, developerKey)).toBe(false)
    expect(hasKeyForm(chatKey, chatKey)).toBe(false)
  })
})

test('a key of an earlier release has the form of a key', () => {
  expect(hasKeyForm(mintToken(developerKey).token, developerKey)).toBe(true)
  expect(hasKeyForm(`${developerKey}${'é'.repeat(43)}`, developerKey)).toBe(false)
})

test('a checkout key is acp_ and 32 random characters, without a checksum', () => {
  const { token } = mintAcpKey()
  expect(token).toMatch(/^acp_[0-9A-Za-z]{32}$/)
  expect(token.startsWith(acpKey)).toBe(true)
})
