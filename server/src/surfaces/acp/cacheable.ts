import { createHash } from 'node:crypto'
import { hasCached } from '#surfaces/http/has-cached.ts'
import type { Http } from '#surfaces/http/environment.ts'

/**
 * Answers with a public document that clients may cache and revalidate by its ETag (RFC 9110
 * §13.1.2).
 */
export function answerCacheable(c: Http, body: unknown, maxAgeSeconds: number): Response {
  const text = JSON.stringify(body)
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
  c.header('ETag', tag)
  c.header('Cache-Control', `public, max-age=${maxAgeSeconds}`)
  if (hasCached(c, tag)) return c.body(null, 304)
  return c.body(text, 200, { 'Content-Type': 'application/json' })
}
