import { z } from 'zod'
import { flag, integer, list, optionalText, text, variable } from './variable.ts'

/** Kept as it is: providers treat issuers with and without a trailing slash as different. */
const issuer = z
  .string()
  .refine((word) => /^https?:\/\//.test(word) && URL.canParse(word), 'must be an http(s) URL')

/** Sign-in, the authorization server, and the OpenID provider. */
export const signInVariables = {
  SIGN_IN: variable(
    z.enum(['any', 'openid'], 'must be any or openid'),
    'How people sign in: `any` accepts passwords, and the OpenID Connect provider if one is configured; `openid` accepts the provider alone.',
    { fallback: 'any' },
  ),
  SESSION_LIFETIME_SECONDS: variable(integer(60), 'Maximum lifetime of a sign-in session.', {
    fallback: '2592000',
  }),
  SESSION_IDLE_SECONDS: variable(integer(60), 'How long an unused sign-in session lasts.', {
    fallback: '604800',
  }),
  SIGN_IN_ATTEMPTS_LIMIT: variable(
    integer(1, 1_000_000),
    'Wrong passwords per account and client address in 15 minutes before further attempts must wait. For one account from all addresses, the limit is five times this number per hour; for one address and all accounts, ten times this number in 15 minutes. A browser that the account signed in with before has a limit of its own: this number in 15 minutes.',
    { fallback: '10' },
  ),
  KNOWN_BROWSER_SECONDS: variable(
    integer(60, 86_400 * 400),
    'How long a browser counts as known after a sign-in. Wrong passwords that others try elsewhere do not lock an account out of its known browsers.',
    { fallback: '31536000' },
  ),
  SECOND_FACTOR_ATTEMPTS_LIMIT: variable(
    integer(1, 1_000_000),
    'Wrong codes of an authenticator app per account in 15 minutes before further codes must wait. Per day, the limit is five times this number. Recovery codes are counted separately, by the same numbers.',
    { fallback: '5' },
  ),
  SECOND_FACTOR_SECONDS: variable(
    integer(30, 86_400),
    'How long a sign-in waits for its second factor, and how long a passkey or a new authenticator app may take to answer.',
    { fallback: '600' },
  ),
  CONFIRMATION_SECONDS: variable(
    integer(1, 86_400 * 365),
    'How long a sign-in or a confirmation lasts before the dashboard asks again who you are, for operations that need it.',
    { fallback: '600' },
  ),
  OAUTH_ACCESS_TOKEN_TTL_SECONDS: variable(
    integer(1, 86_400 * 365),
    'Lifetime of an OAuth access token.',
    { fallback: '3600' },
  ),
  OAUTH_REFRESH_TOKEN_TTL_SECONDS: variable(
    integer(1, 86_400 * 3650),
    'Lifetime of an OAuth refresh token. Each refresh returns a new one.',
    { fallback: '2592000' },
  ),
  OAUTH_REDIRECT_SCHEMES: variable(
    list,
    'URL schemes that redirect URIs of OAuth clients may use in addition to `https` (comma-separated).',
    { fallback: 'cursor,vscode,vscode-insiders' },
  ),
  OAUTH_REGISTRATION_LIMIT: variable(
    integer(1),
    'Maximum number of OAuth client registrations per client address and hour.',
    { fallback: '100' },
  ),
  OAUTH_AUTHORIZATION_LIMIT: variable(
    integer(1, 1_000_000),
    'Maximum number of OAuth authorizations that a client address may start per minute.',
    { fallback: '300' },
  ),
  OAUTH_FAILED_CALLS_LIMIT: variable(
    integer(1, 1_000_000),
    'Failed calls of the OAuth token endpoint per client address and minute. After that, all token calls from this address get status 429 for the rest of the minute.',
    { fallback: '60' },
  ),
  OAUTH_CLIENT_DOCUMENTS: variable(
    flag,
    'Whether OAuth clients may use the `https` address of their metadata document as client id. Requires outbound HTTPS: clients that support this do not register.',
    { fallback: 'false' },
  ),
  OIDC_ISSUER: variable(
    issuer.optional(),
    'Issuer URL of the OpenID Connect provider for sign-in. Register `BASE_URL/login/oidc/callback` there.',
  ),
  OIDC_CLIENT_ID: variable(optionalText, 'Client id at the OpenID Connect provider.'),
  OIDC_CLIENT_SECRET: variable(
    optionalText,
    'Client secret at the OpenID Connect provider; unset for a public client.',
    { secret: true },
  ),
  OIDC_NAME: variable(text, 'Name of the provider on the sign-in page.', {
    fallback: 'single sign-on',
  }),
  OIDC_SIGN_UP_DOMAINS: variable(
    list,
    'E-mail domains (comma-separated) whose users get an account at their first sign-in with the provider. If unset, only existing accounts can sign in.',
    { fallback: '' },
  ),
} as const

/** With the provider alone, an owner without an address could never sign in. */
export function signInProblems(values: Readonly<Record<string, unknown>>): readonly string[] {
  const problems: string[] = []
  if (values.oidcIssuer !== undefined && values.oidcClientId === undefined)
    problems.push('OIDC_CLIENT_ID is required with OIDC_ISSUER')
  if (values.signIn !== 'openid') return problems
  if (values.oidcIssuer === undefined) problems.push('OIDC_ISSUER is required with SIGN_IN=openid')
  if (values.ownerEmail === undefined) problems.push('OWNER_EMAIL is required with SIGN_IN=openid')
  return problems
}
