import type { Config } from '#config'

/** `http` to this computer, split into the parts that must match and the port (RFC 8252 §7.3). */
const loopbackForm = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?([/?].*)?$/
/** The characters of a URI (RFC 3986 §2); parsers disagree on backslashes and spaces. */
const uriCharacters = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/
/**
 * A DNS name or an IP address, as `URL` writes it. `URL` also accepts hosts with `;`, `,` and `*`,
 * which mean something else in a Content-Security-Policy.
 */
const plainHost = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/i
const maxRedirectLength = 2000
/** Schemes that lead to no program: refused even if the operator lists them. */
const runInBrowser = ['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:']

/**
 * What is wrong with an address that a client wants to register; null if it is valid. Allowed are
 * `https`, `http` to this computer, and the schemes that `OAUTH_REDIRECT_SCHEMES` lists.
 */
export function redirectProblem(
  config: Pick<Config, 'oauthRedirectSchemes'>,
  address: string,
): string | null {
  if (address.length > maxRedirectLength) return `is longer than ${maxRedirectLength} characters`
  // RFC 6749 §3.1.2: no fragment; `#` is not among the characters.
  if (!uriCharacters.test(address)) return 'is not an absolute URI without a fragment'
  // Before the loopback form, which accepts port numbers that are too high.
  if (!URL.canParse(address)) return 'is not an absolute URI'
  if (loopbackForm.test(address)) return null
  const { protocol, username, password, hostname } = new URL(address)
  if (username !== '' || password !== '') return 'carries a user or password'
  if (protocol === 'https:' && hostname === '') return 'names no host'
  if (!hasPlainHost(address)) return 'has a host with characters that no host name has'
  if (protocol === 'https:') return null
  if (protocol === 'http:') return 'must use https, or http to localhost, 127.0.0.1 or [::1]'
  if (runInBrowser.includes(protocol)) return 'uses a scheme that leads to no program'
  if (config.oauthRedirectSchemes.includes(protocol.slice(0, -1))) return null
  return 'uses a scheme that this service does not allow'
}

/** False for a host that is neither a name nor an address; an earlier release registered those. */
export function hasPlainHost(address: string): boolean {
  const { hostname } = new URL(address)
  return hostname === '' || plainHost.test(hostname)
}

/**
 * Whether the client registered a request's redirect address: the same string, or on this computer
 * the same except for the port, because programs listen on any free port.
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

/** Where a redirect leads, in a form to show to the person. */
export interface Destination {
  /** `host:port`, or `scheme://` for a program that claimed a scheme. */
  readonly shown: string
  /** Any local program may be listening there (RFC 8252 §8.6). */
  readonly isThisComputer: boolean
}

export function destinationOf(redirectUri: string): Destination {
  const { protocol, host } = new URL(redirectUri)
  if (protocol === 'https:') return { shown: host, isThisComputer: false }
  if (protocol === 'http:') return { shown: host, isThisComputer: true }
  return { shown: `${protocol}//`, isThisComputer: true }
}
