import { describe, expect, test } from 'vitest'
import { changesBetween } from './record-state.ts'

describe('a logged record', () => {
  test.each([
    ['a password', '{"password":"open sesame"}'],
    ['one with a quote in it', String.raw`{"password":"say \"open sesame\" twice"}`],
    ['one under a short name', '{"pwd": "open sesame", "user": "us"}'],
    ['one of several words', '{"passphrase":"open sesame"}'],
  ])('contains no %s from a text', (_, body) => {
    const { after } = changesBetween(null, { body })
    expect(after?.body).toContain('[a secret]')
    expect(JSON.stringify(after)).not.toContain('sesame')
  })

  test('contains none of a field with such a name', () => {
    const headers = { pwd: 'sesame', passphrase: 'sesame', Accept: 'text/html' }
    const { after } = changesBetween(null, { headers })
    expect(after?.headers).toEqual({
      pwd: '[another secret]',
      passphrase: '[another secret]',
      Accept: 'text/html',
    })
  })

  test('shows the addresses of a chat page without what may be a credential', () => {
    const { after } = changesBetween(null, {
      'settings.moderation_url': 'https://check.example/hook/a1b2c3d4e5f6a7b8c9d0?code=sesame',
      'settings.title': 'Is it a page? code=sesame',
    })
    expect(after).toEqual({
      'settings.moderation_url':
        'https://check.example/hook/[another secret]?code=[another secret]',
      'settings.title': 'Is it a page? code=sesame',
    })
  })
})
