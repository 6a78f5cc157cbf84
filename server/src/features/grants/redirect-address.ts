import type { Config } from '#config'

/** `http` to this computer, split into what must match and the port, which need not (RFC 8252 §7.3). */
const loopbackForm = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?([/?].*)?$/
/** What a URI may consist of (RFC 3986 §2); backslashes and spaces are where parsers disagree. */
const uriCharacters = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/
const maxRedirectLength = 2000
/** Not a way back to any program, whatever the operator lists. */
const runInBrowser = ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:']

/**
 * What is wrong with an address that a client wants to register; null when nothing is.
 * Allowed are `https`, `http` to this computer, and the schemes that `OAUTH_REDIRECT_SCHEMES` lists.
 */
export function redirectProblem(
  config: Pick<Config, 'oauthRedirectSchemes'>,
  address: string,
): string | null {
  if (address.length > maxRedirectLength) return `is longer than ${maxRedirectLength} characters`
  // RFC 6749 §3.1.2: no fragment; `#` is not among the characters.
  if (!uriCharacters.test(address)) return 'is not an absolute URI without a fragment'
  // Before the loopback form, which takes ports that there are not.
  if (!URL.canParse(address)) return 'is not an absolute URI'
  if (loopbackForm.test(address)) return null
  const { protocol, username, password, hostname } = new URL(address)
  if (username !== '' || password !== '') return 'carries a user or password'
  if (protocol === 'https:') return hostname === '' ? 'names no host' : null
  if (protocol === 'http:') return 'must use https, or http to localhost, 127.0.0.1 or [::1]'
  if (runInBrowser.includes(protocol)) return 'uses a scheme that leads to no program'
  if (config.oauthRedirectSchemes.includes(protocol.slice(0, -1))) return null
  return 'uses a scheme that this service does not allow'
}

/**
 * Whether a request's redirect address is one that the client registered: the same string, or, on
 * this computer, the same but for the port, as programs listen on whichever is free.
 */
export function redirectMatches(registered: readonly string[], asked: string): boolean {
  return registered.includes(asked) || registered.some((address) => differsByPort(address, asked))
}

function differsByPort(registered: string, asked: string): boolean {
  const [, host, , rest] = loopbackForm.exec(registered) ?? []
  const [, askedHost, port, askedRest] = loopbackForm.exec(asked) ?? []
  if (host === undefined || host !== askedHost || rest !== askedRest) return false
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535)
}

/** Where a redirect takes the person, as they may be shown it. */
export interface Destination {
  /** `host:port`, or `scheme://` for a program that claimed a scheme. */
  readonly shown: string
  /** Nobody can vouch for who listens on this computer (RFC 8252 §8.6). */
  readonly isThisComputer: boolean
}

export function destinationOf(redirectUri: string): Destination {
  const { protocol, host } = new URL(redirectUri)
  if (protocol === 'https:') return { shown: host, isThisComputer: false }
  if (protocol === 'http:') return { shown: host, isThisComputer: true }
  return { shown: `${protocol}//`, isThisComputer: true }
}
