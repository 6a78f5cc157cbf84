import { describe, expect, test } from 'vitest'
import { normalizeEmail, requireEmail } from './email.ts'
import { hashPassword, requirePasswordLength, verifyPassword } from './password.ts'

describe('a password', () => {
  test('is stored as an argon2id hash in PHC form that only the password matches', async () => {
    const hash = await hashPassword('correct horse')
    expect(hash).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    )
    expect(await verifyPassword('correct horse', hash)).toBe(true)
    expect(await verifyPassword('correct horsE', hash)).toBe(false)
  })

  test('gets a different hash each time, by its salt', async () => {
    expect(await hashPassword('correct horse')).not.toBe(await hashPassword('correct horse'))
  })

  test('that was hashed at another cost still matches', async () => {
    // The reference implementation's answer for `password`, salt `somesalt`, 64 MiB, two passes.
    const reference =
      '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    expect(await verifyPassword('password', reference)).toBe(true)
  })

  test('never matches a missing or unreadable hash', async () => {
    expect(await verifyPassword('', null)).toBe(false)
    expect(await verifyPassword('x', 'plain text')).toBe(false)
  })

  test('is the same however its letters are composed', async () => {
    const hash = await hashPassword('caf\u00e9 au lait')
    expect(await verifyPassword('cafe\u0301 au lait', hash)).toBe(true)
  })

  test('is between 10 and 512 characters long, counted as people count', () => {
    const refused = expect.objectContaining({ code: 'password_length' })
    expect(() => requirePasswordLength('123456789')).toThrow(refused)
    expect(() => requirePasswordLength('x'.repeat(513))).toThrow(refused)
    expect(() => requirePasswordLength('😀'.repeat(9))).toThrow(refused)
    expect(() => requirePasswordLength('1234567890')).not.toThrow()
  })

  test('is hashed off the event loop', async () => {
    let ticks = 0
    const timer = setInterval(() => (ticks += 1), 1)
    await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(2)
  })
})

describe('an e-mail address', () => {
  test('has one spelling in any letter case and with spaces around it', () => {
    expect(normalizeEmail('  Ada@Example.COM ')).toBe('ada@example.com')
  })

  test.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'a b@example.com',
    `${'a'.repeat(250)}@example.com`,
  ])('is not %j', (text) => {
    expect(() => requireEmail(text)).toThrow(expect.objectContaining({ code: 'email_invalid' }))
  })
})
