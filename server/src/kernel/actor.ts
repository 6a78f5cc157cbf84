import type { Reach } from './reach.ts'
import type { Scope } from './scope.ts'

export const roles = ['owner', 'admin', 'editor', 'viewer'] as const
export type Role = (typeof roles)[number]

/** True when `role` is at least as powerful as `least`. */
export function atLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(least)
}

/** How a management operation was called. */
export type Surface = 'mcp' | 'dashboard' | 'cli'

/**
 * The acting person, perhaps with a credential that narrows what they may do. `via` names the key
 * or grant for the audit log.
 */
export interface Actor {
  readonly userId: string
  /** The workspace used when the input names none. */
  readonly workspaceId: string
  /** What the credential grants; a person at the dashboard or the command line has `['*']`. */
  readonly scopes: readonly Scope[]
  /** What the credential is bound to; absent: wherever the person may act. */
  readonly reach?: Reach | undefined
  readonly surface: Surface
  /** The id of the sign-in session, for a person in a browser. */
  readonly session?: string
  readonly via?: {
    readonly kind: 'developer_key' | 'grant'
    readonly id: string
    readonly client?: string
  }
  readonly requestId?: string
  /** The person's address, if it is known. */
  readonly address?: string
}
