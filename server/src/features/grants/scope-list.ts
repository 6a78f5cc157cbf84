import { Fault } from '#kernel/fault.ts'
import { covers, isScope, normalizeScopes, type NamedScope, type Scope } from '#kernel/scope.ts'
import { grantFaults } from './grant-faults.ts'

/**
 * Refresh tokens are always issued, so the scope that requests them elsewhere (OpenID Connect Core
 * §11) is ignored.
 */
const impliedScope = 'offline_access'

/**
 * The scopes of a space-separated list (RFC 6749 §3.3). An empty list means full access (interface),
 * which the person can narrow.
 *
 * @throws Fault scope_unknown
 */
export function readScopeList(text: string | undefined): readonly Scope[] {
  const words = (text ?? '').split(' ').filter((word) => word !== '' && word !== impliedScope)
  const scopes = words.map((word) => {
    if (isScope(word)) return word
    throw new Fault(grantFaults.scope_unknown, { scope: word.slice(0, 100) })
  })
  return scopes.length === 0 ? ['*'] : normalizeScopes(scopes)
}

export function writeScopeList(scopes: readonly Scope[]): string {
  return scopes.join(' ')
}

/** Scopes as stored by `writeScopeList`. */
export function storedScopes(text: string): readonly Scope[] {
  return text.split(' ').filter(isScope)
}

/** True when `granted` covers each scope of `asked`. */
export function within(asked: readonly Scope[], granted: readonly Scope[]): boolean {
  if (granted.includes('*')) return true
  return asked.every((scope) => scope !== '*' && covers(granted, scope satisfies NamedScope))
}
