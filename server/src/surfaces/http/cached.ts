import { createHash } from 'node:crypto'
import type { Http } from './environment.ts'

/** True when `If-None-Match` has the tag (RFC 9110 §13.1.2). Proxies that compress make tags weak. */
export function hasCached(c: Http, tag: string): boolean {
  const strong = (one: string) => one.trim().replace(/^W\//, '')
  const known = (c.req.header('if-none-match') ?? '').split(',').map(strong)
  return known.includes('*') || known.includes(strong(tag))
}

/** Answers with a public JSON document that clients may cache and revalidate by its ETag. */
export function answerCacheable(c: Http, body: unknown, maxAgeSeconds: number): Response {
  const text = JSON.stringify(body)
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
  c.header('ETag', tag)
  c.header('Cache-Control', `public, max-age=${maxAgeSeconds}`)
  if (hasCached(c, tag)) return c.body(null, 304)
  return c.body(text, 200, { 'Content-Type': 'application/json' })
}
