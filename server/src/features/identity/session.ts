import type { SessionRow } from './session-store.ts'

const signInMethods = ['password', 'openid', 'setup'] as const
export type SignInMethod = (typeof signInMethods)[number]

/** One browser in which a person is signed in. */
export interface Session {
  readonly id: string
  readonly user: { readonly id: string; readonly email: string; readonly name: string }
  readonly method: string
  /** What the browser calls itself; text from outside. */
  readonly userAgent: string | null
  readonly address: string | null
  readonly createdAt: number
  /** To the minute. */
  readonly lastSeenAt: number
  readonly expiresAt: number
}

export interface NewSession {
  /** The cookie's value: shown to the browser alone, never stored. */
  readonly token: string
  readonly session: Session
}

/** The browser that somebody signs in with. */
export interface Visitor {
  readonly address: string
  readonly userAgent: string | null
  /** The session it was in until now, which ends with the sign-in. */
  readonly sessionToken: string | null
}

export function sessionFromRow(row: SessionRow): Session {
  return {
    id: row.id,
    user: { id: row.user_id, email: row.email, name: row.name },
    method: row.method,
    userAgent: row.user_agent,
    address: row.address,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
  }
}
