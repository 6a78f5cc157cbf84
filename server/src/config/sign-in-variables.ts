import { z } from 'zod'
import { flag, integer, list, optionalText, text, variable } from './variable.ts'

/** Kept as it is given: providers tell issuers with and without a last slash apart. */
const issuer = z
  .string()
  .refine((word) => /^https?:\/\//.test(word) && URL.canParse(word), 'must be an http(s) URL')

/** Signing in, the authorization server, and the OpenID provider where there is one. */
export const signInVariables = {
  SESSION_LIFETIME_SECONDS: variable(integer(60), 'How long a sign-in lasts at most.', {
    fallback: '2592000',
  }),
  SESSION_IDLE_SECONDS: variable(integer(60), 'How long a sign-in lasts unused.', {
    fallback: '604800',
  }),
  SIGN_IN_ATTEMPTS_LIMIT: variable(
    integer(1, 1_000_000),
    'Wrong passwords in a quarter of an hour, for one account from one client address, before sign-in waits. An account takes five times as many an hour from all addresses, an address ten times as many in a quarter of an hour for all accounts.',
    { fallback: '10' },
  ),
  OAUTH_ACCESS_TOKEN_TTL_SECONDS: variable(
    integer(1, 86_400 * 365),
    'How long an OAuth access token is good for.',
    { fallback: '3600' },
  ),
  OAUTH_REFRESH_TOKEN_TTL_SECONDS: variable(
    integer(1, 86_400 * 3650),
    'How long an OAuth refresh token is good for; each refresh gives a new one.',
    { fallback: '2592000' },
  ),
  OAUTH_REDIRECT_SCHEMES: variable(
    list,
    'Schemes besides `https` that OAuth clients may be sent back by (comma-separated).',
    { fallback: 'cursor,vscode,vscode-insiders' },
  ),
  OAUTH_REGISTRATION_LIMIT: variable(
    integer(1),
    'OAuth clients that one address may register an hour.',
    { fallback: '100' },
  ),
  OAUTH_AUTHORIZATION_LIMIT: variable(
    integer(1, 1_000_000),
    'OAuth authorizations that one client address may begin a minute.',
    { fallback: '300' },
  ),
  OAUTH_FAILED_CALLS_LIMIT: variable(
    integer(1, 1_000_000),
    'Calls of the OAuth token endpoint a minute, from one client address, that are refused; beyond them all of its token calls get 429 for the rest of that minute.',
    { fallback: '60' },
  ),
  OAUTH_CLIENT_DOCUMENTS: variable(
    flag,
    'Whether OAuth clients may be known by the `https` address of their metadata. Needs outbound HTTPS: clients that see it offered do not register.',
    { fallback: 'false' },
  ),
  OIDC_ISSUER: variable(
    issuer.optional(),
    'OpenID Connect provider to sign in with; register `BASE_URL/login/oidc/callback` there.',
  ),
  OIDC_CLIENT_ID: variable(optionalText, 'Client id at that provider.'),
  OIDC_CLIENT_SECRET: variable(optionalText, 'Client secret there; unset for a public client.', {
    secret: true,
  }),
  OIDC_NAME: variable(text, 'What the sign-in page calls the provider.', {
    fallback: 'single sign-on',
  }),
  OIDC_SIGN_UP_DOMAINS: variable(
    list,
    'E-mail domains (comma-separated) whose people get an account at their first sign-in with the provider; unset, accounts must exist.',
    { fallback: '' },
  ),
} as const
