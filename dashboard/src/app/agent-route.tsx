import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './root-route.tsx'

/** The parent route of an agent's pages. */
export const agent = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents/$appId',
  component: lazyRouteComponent(() => import('#features/agents/agent-layout.tsx'), 'AgentLayout'),
})
