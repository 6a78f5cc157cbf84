import type { Crawl } from '#features/knowledge/index.ts'
import { fitsGlob } from './robots-rules.ts'

/** The address without its fragment, to be compared. Null for one that is not http(s). */
export function pageAddress(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  url.hash = ''
  return url.href
}

/** `http` and `https` of one host are the same site. Another host or port is another site. */
export function isSameSite(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)]
  return a.hostname === b.hostname && a.port === b.port
}

/** Patterns that begin with a slash match paths, others whole addresses. */
export function isIncluded({ include, exclude }: Crawl, address: string): boolean {
  const { pathname, search } = new URL(address)
  const fits = (pattern: string) =>
    fitsGlob(pattern, pattern.startsWith('/') ? pathname + search : address)
  return (include.length === 0 || include.some(fits)) && !exclude.some(fits)
}
