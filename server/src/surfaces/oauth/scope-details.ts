import type { NamedScope } from '#kernel/scope.ts'

/** What an application can do with each scope on the MCP server, where the interface's words say less. */
export const scopeDetails: Readonly<Record<NamedScope, string>> = {
  'apps:read': 'With their instructions, versions, products and orders; also export them.',
  'apps:write':
    'Also chat with them, which uses credits, import them, restore versions, and change their products and checkout settings.',
  'knowledge:read': 'Also search their text.',
  'knowledge:write': 'Also have Parley read web pages.',
  'actions:read': 'Also variables and MCP servers, but never secrets.',
  'actions:write':
    'Also set variables and secrets, add MCP servers, and call actions to test them.',
  'analytics:read': 'Also read what end users wrote and what the agents answered.',
  'workspace:read': 'Names, plans and your role.',
  'workspace:write': 'Only names: it cannot change members or keys, or delete a workspace.',
  'billing:read': 'Also what the credits were used for.',
}
