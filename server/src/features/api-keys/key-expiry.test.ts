import { describe, expect, test } from 'vitest'
import { dayMs } from '#kernel/durations.ts'
import { keyEnd } from './key-expiry.ts'

describe('when a key ends', () => {
  test.each([
    ['30d', 30 * dayMs],
    ['90d', 90 * dayMs],
    ['1y', 365 * dayMs],
  ] as const)('expires_in %s counts from now', (expiresIn, length) => {
    expect(keyEnd({ expiresIn }, 1000)).toBe(1000 + length)
  })

  test('is never by default, and with `never`', () => {
    expect(keyEnd({}, 1000)).toBeNull()
    expect(keyEnd({ expiresIn: 'never' }, 1000)).toBeNull()
  })

  test('is the time given as expires_at', () => {
    expect(keyEnd({ expiresAt: 1001 }, 1000)).toBe(1001)
  })

  test('is rejected if it is in the past, or given twice', () => {
    const refused = expect.objectContaining({ code: 'key_expiry_invalid' })
    expect(() => keyEnd({ expiresAt: 1000 }, 1000)).toThrow(refused)
    expect(() => keyEnd({ expiresAt: 2000, expiresIn: 'never' }, 1000)).toThrow(refused)
  })
})
