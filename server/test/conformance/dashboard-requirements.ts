/** The sentences of the interface about steps in the dashboard, verified by browser tests. */
export const dashboardRequirements = {
  // Authentication: chat completions, 2
  'chat.auth.share-tab': "The chat key comes from the agent's Share tab in the dashboard.",

  // Authentication: tool-protocol server, API key 1 and 3
  'auth.key.place': 'A developer key is made in the dashboard: Settings, Developer, API Keys.',
  'auth.key.form':
    'Create Key asks for a name, scopes (full access by default) and expiration (30 days, 90 days, 1 year, never; never by default); the key is copied at once.',
  'auth.key.delete': 'Delete next to a developer key revokes it, at once.',

  // Authentication: ACP, 3
  'acp.auth.key-place':
    'A checkout key is made in the dashboard: agent, Publish, Catalog, API Keys, Create API Key.',
} as const
