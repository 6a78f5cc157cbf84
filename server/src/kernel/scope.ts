/** The permission scopes of the interface, shared by OAuth tokens and developer keys. */
export const namedScopes = {
  'apps:read': 'View agents',
  'apps:write': 'Create, update, delete agents',
  'knowledge:read': 'View knowledge sources',
  'knowledge:write': 'Add, update, delete knowledge sources',
  'actions:read': 'View custom actions',
  'actions:write': 'Manage custom actions',
  'analytics:read': 'View conversation analytics',
  'workspace:read': 'View workspace information',
  'workspace:write': 'Create and update workspaces',
  'billing:read': 'View subscription and credits',
} as const

export type NamedScope = keyof typeof namedScopes
export type Scope = NamedScope | '*'

export const allScopes: readonly Scope[] = [...(Object.keys(namedScopes) as NamedScope[]), '*']

export function isScope(text: string): text is Scope {
  return text === '*' || Object.hasOwn(namedScopes, text)
}

/** `*` covers everything; otherwise the scope itself must have been granted. */
export function covers(granted: readonly Scope[], needed: NamedScope): boolean {
  return granted.includes('*') || granted.includes(needed)
}

/** A set that contains `*` becomes `*`; duplicates are removed; the order is the interface's. */
export function normalizeScopes(scopes: readonly Scope[]): readonly Scope[] {
  if (scopes.includes('*')) return ['*']
  return allScopes.filter((scope) => scopes.includes(scope))
}
