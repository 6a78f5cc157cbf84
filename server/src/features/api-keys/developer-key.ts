import { isScope, type Scope } from '#kernel/scope.ts'
import { apiKeyFromRow, type ApiKey } from './api-key.ts'
import type { DeveloperKeyRow } from './developer-key-store.ts'

/** A key that acts as its person on the tool-protocol server, as far as its scopes go. */
export interface DeveloperKey extends ApiKey {
  readonly scopes: readonly Scope[]
  readonly user: { readonly id: string; readonly email: string }
}

export function developerKeyFromRow(row: DeveloperKeyRow): DeveloperKey {
  return {
    ...apiKeyFromRow(row),
    scopes: scopesFromRow(row.scopes),
    user: { id: row.user_id, email: row.email },
  }
}

export function scopesFromRow(scopes: string | null): readonly Scope[] {
  return (scopes ?? '').split(' ').filter(isScope)
}
