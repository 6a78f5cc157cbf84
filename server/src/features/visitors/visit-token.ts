import { timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Context } from '#platform/context.ts'

const verifiedUser = z
  .object({ id: z.string() })
  .catchall(z.union([z.string(), z.number(), z.boolean()]))

/** A person whom the host's server vouches for: the subject of its token, and other claims. */
export type VerifiedUser = z.output<typeof verifiedUser>

/**
 * What a visitor's browser holds. `browser` stays with the browser for months and finds its
 * conversations again; `visit` is sent with requests and lives for minutes.
 */
const claims = z.strictObject({
  kind: z.enum(['browser', 'visit', 'editor']),
  agent: z.string(),
  /** Random, and the visitor's own. */
  visitor: z.string(),
  generation: z.int(),
  /** What proves that the visitor may open a restricted page. */
  link: z.string().optional(),
  /** The id of the person who signed in, and how and when (epoch milliseconds). */
  person: z.string().optional(),
  user: verifiedUser.optional(),
  /** What vouches for the person, and until when (epoch milliseconds). */
  vouched: z.strictObject({ by: z.string(), ends: z.int() }).optional(),
  /** The site whose widget this visit belongs to. */
  origin: z.string().optional(),
  /** The id of the editor who tries the widget on their own computer. */
  editor: z.string().optional(),
  /** When the editor's pass ends, and the visit with it. */
  editorEnds: z.int().optional(),
  /** The credential that the editor's pass was created with; none for the command line. */
  editorBy: z
    .strictObject({ kind: z.enum(['session', 'developer_key', 'grant']), id: z.string() })
    .optional(),
  /** Tokens of older releases name no session, and count as signed out. */
  signedIn: z
    .strictObject({
      by: z.enum(['password', 'openid']),
      at: z.int(),
      session: z.string().optional(),
    })
    .optional(),
  /** When the visit began, and when this token ends: epoch milliseconds. */
  began: z.int(),
  ends: z.int(),
})

export type VisitClaims = z.output<typeof claims>

const purpose = 'visitor token'
const maxLength = 8192

/** Signed, not encrypted: it contains nothing that must be hidden from the visitor. */
export function signVisit({ vault }: Pick<Context, 'vault'>, given: VisitClaims): string {
  const body = Buffer.from(JSON.stringify(given)).toString('base64url')
  return `${body}.${vault.mac(purpose, body)}`
}

/** @returns null for a token that is forged, expired or of another kind */
export function readVisit(
  { vault, clock }: Pick<Context, 'vault' | 'clock'>,
  kind: VisitClaims['kind'],
  token: string,
): VisitClaims | null {
  const [body = '', mac = '', ...rest] = token.length > maxLength ? [] : token.split('.')
  if (rest.length > 0 || !isSame(mac, vault.mac(purpose, body))) return null
  // Only `signVisit` writes what has this signature; an older release may have written other fields.
  const read = claims.safeParse(JSON.parse(Buffer.from(body, 'base64url').toString()))
  if (!read.success || read.data.kind !== kind || read.data.ends <= clock.now()) return null
  return read.data
}

export function isSame(one: string, other: string): boolean {
  const given = Buffer.from(one)
  const wanted = Buffer.from(other)
  return given.length === wanted.length && timingSafeEqual(given, wanted)
}
