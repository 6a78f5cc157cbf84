import type { Http } from './environment.ts'

/** True when `If-None-Match` has the tag (RFC 9110 §13.1.2). Proxies that compress make tags weak. */
export function hasCached(c: Http, tag: string): boolean {
  const strong = (one: string) => one.trim().replace(/^W\//, '')
  const known = (c.req.header('if-none-match') ?? '').split(',').map(strong)
  return known.includes('*') || known.includes(strong(tag))
}
