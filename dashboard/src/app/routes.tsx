import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { knowledgeSearch } from '#features/knowledge/knowledge-search.ts'
import { shareSearch } from '#features/share/share-search.ts'
import { flag } from '#components/search-flag.ts'
import { analyticsRoutes } from './analytics-routes.tsx'
import { agent } from './agent-route.tsx'
import { buildRoutes } from './build-routes.tsx'
import { lastWorkspace } from './last-workspace.ts'
import { publishRoutes } from './publish-routes.tsx'
import { rootRoute } from './root-route.tsx'
import { settingsRoutes } from './settings-routes.tsx'

const index = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  // Sign-in leads here. The shell ignores a workspace that the user is no longer a member of.
  beforeLoad({ search }) {
    const workspace = search.workspace ?? lastWorkspace() ?? undefined
    throw redirect({ to: '/agents', search: { workspace }, replace: true })
  },
})

const agents = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents',
  validateSearch: (search: Record<string, unknown>) => flag(search, 'import'),
  component: lazyRouteComponent(() => import('#features/agents/agents-page.tsx'), 'AgentsPage'),
})

const newAgent = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents/new',
  component: lazyRouteComponent(
    () => import('#features/agents/new-agent-page.tsx'),
    'NewAgentPage',
  ),
})

const agentIndex = createRoute({
  getParentRoute: () => agent,
  path: '/',
  beforeLoad({ params }) {
    throw redirect({ to: '/agents/$appId/build', params, replace: true })
  },
})

const knowledge = createRoute({
  getParentRoute: () => agent,
  path: '/knowledge',
  validateSearch: knowledgeSearch,
  component: lazyRouteComponent(
    () => import('#features/knowledge/knowledge-page.tsx'),
    'KnowledgePage',
  ),
})

const share = createRoute({
  getParentRoute: () => agent,
  path: '/share',
  validateSearch: shareSearch,
  component: lazyRouteComponent(() => import('#features/share/share-page.tsx'), 'SharePage'),
})

export const routeTree = rootRoute.addChildren([
  index,
  agents,
  newAgent,
  agent.addChildren([agentIndex, buildRoutes, knowledge, share, publishRoutes, analyticsRoutes]),
  settingsRoutes,
])
