import { hidden } from './mask.ts'

/** Long enough to be random, such as the last part of a Slack webhook's path. */
const randomPart = /^(?=.*\d)(?=.*[A-Za-z])[\w-]{20,}$/

/**
 * An address without what may be a credential: user and password, every value of the query, the
 * fragment, and parts of the path that look random. Host and path stay recognisable.
 */
export function maskAddress(address: string, mask = hidden): string {
  const [beforeFragment, fragment] = split(address, '#')
  const [base, query] = split(beforeFragment, '?')
  const shown = base
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, `$1${mask}@`)
    .split('/')
    .map((part) => (randomPart.test(part) ? mask : part))
    .join('/')
  const values = query?.split('&').map((pair) => pair.replace(/^([^=]*=)?.*$/s, `$1${mask}`))
  const end = fragment === undefined ? '' : `#${mask}`
  return `${shown}${values === undefined ? '' : `?${values.join('&')}`}${end}`
}

/** Splits at the first separator. */
function split(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}
