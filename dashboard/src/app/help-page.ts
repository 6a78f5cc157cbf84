/** The page of the documentation for the start of a path, the most specific first. */
const pages: readonly (readonly [path: RegExp, page: string])[] = [
  [/^\/agents\/[^/]+\/build\/(?:actions|variables|servers)/, 'actions'],
  [/^\/agents\/[^/]+\/knowledge/, 'knowledge'],
  [/^\/agents\/[^/]+\/share\/widget/, 'widget'],
  [/^\/agents\/[^/]+\/share\/(?:page|look|visitors)/, 'chat-page'],
  [/^\/agents\/[^/]+\/share/, 'chat-api'],
  [/^\/agents\/[^/]+\/publish/, 'agentic-commerce'],
  [/^\/agents\/[^/]+\/analytics/, 'analytics'],
  [/^\/agents/, 'agents'],
  [/^\/home/, 'agents'],
  [/^\/settings\/members/, 'roles'],
  [/^\/settings\/developer/, 'mcp'],
  [/^\/settings\/connected-apps/, 'oauth'],
  [/^\/settings\/providers/, 'models'],
  [/^\/settings\/billing/, 'billing'],
  [/^\/settings\/audit/, 'audit'],
  [/^\/settings\/workspace/, 'workspaces'],
]

/** The page of the documentation that explains a page of the dashboard. */
export function helpPage(pathname: string): string {
  return pages.find(([path]) => path.test(pathname))?.[1] ?? 'dashboard'
}
