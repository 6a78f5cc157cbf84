import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '#config'

describe('the limits of signing in and of the authorization server', () => {
  test('have their defaults', () => {
    expect(readConfig({})).toMatchObject({
      signInAttemptsLimit: 10,
      oauthAuthorizationLimit: 300,
      oauthFailedCallsLimit: 60,
      oauthRegistrationLimit: 100,
    })
  })

  test.each(['SIGN_IN_ATTEMPTS_LIMIT', 'OAUTH_AUTHORIZATION_LIMIT', 'OAUTH_FAILED_CALLS_LIMIT'])(
    '%s is a whole number of at least one: zero would lock everyone out',
    (name) => {
      for (const value of ['0', '-1', '1.5', 'none'])
        expect(() => readConfig({ [name]: value })).toThrow(ConfigError)
      expect(() => readConfig({ [name]: '1' })).not.toThrow()
    },
  )
})

describe('SIGN_IN=openid', () => {
  const provider = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'parley' }

  test('requires the provider and the address of the owner', () => {
    expect(() => readConfig({ SIGN_IN: 'openid' })).toThrow(/OIDC_ISSUER.*OWNER_EMAIL/)
    expect(() => readConfig({ SIGN_IN: 'openid', ...provider })).toThrow('OWNER_EMAIL')
    const whole = { SIGN_IN: 'openid', OWNER_EMAIL: 'ada@example.com', ...provider }
    expect(readConfig(whole).signIn).toBe('openid')
    expect(readConfig({}).signIn).toBe('any')
  })
})
