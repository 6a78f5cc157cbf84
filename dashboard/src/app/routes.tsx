import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { agentsSearch } from '#features/agents/agents-search.ts'
import { knowledgeSearch, sourceSearch } from '#features/knowledge/knowledge-search.ts'
import { analyticsRoutes } from './analytics-routes.tsx'
import { agent } from './agent-route.tsx'
import { buildRoutes } from './build-routes.tsx'
import { needsFirstSteps } from './first-steps.ts'
import { lastWorkspace } from './last-workspace.ts'
import { publishRoutes } from './publish-routes.tsx'
import { rootRoute } from './root-route.tsx'
import { settingsRoutes } from './settings-routes.tsx'
import { shareRoutes } from './share-routes.tsx'

/** The shell ignores a workspace that the user is no longer a member of. */
async function begin(named: string | undefined): Promise<never> {
  const workspace = named ?? lastWorkspace() ?? undefined
  const to = (await needsFirstSteps(workspace)) ? '/home' : '/agents'
  throw redirect({ to, search: { workspace }, replace: true })
}

const index = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async ({ search }) => await begin(search.workspace),
})

/** The service leads here from `/`, to which browsers send no cookie, and so does the sign-in. */
const start = createRoute({
  getParentRoute: () => rootRoute,
  path: '/home/start',
  beforeLoad: async ({ search }) => await begin(search.workspace),
})

const home = createRoute({
  getParentRoute: () => rootRoute,
  path: '/home',
  component: lazyRouteComponent(() => import('#features/home/home-page.tsx'), 'HomePage'),
})

const agents = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents',
  validateSearch: agentsSearch,
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

const source = createRoute({
  getParentRoute: () => agent,
  path: '/knowledge/$sourceId',
  validateSearch: sourceSearch,
  component: lazyRouteComponent(() => import('#features/knowledge/source-page.tsx'), 'SourcePage'),
})

export const routeTree = rootRoute.addChildren([
  index,
  start,
  home,
  agents,
  newAgent,
  agent.addChildren([
    agentIndex,
    buildRoutes,
    knowledge,
    source,
    shareRoutes,
    publishRoutes,
    analyticsRoutes,
  ]),
  settingsRoutes,
])
