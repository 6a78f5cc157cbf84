import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from './root-route.tsx'

/** What the pages of one agent stand in. */
export const agent = createRoute({
  getParentRoute: () => rootRoute,
  path: '/agents/$appId',
  component: lazyRouteComponent(() => import('#features/agents/agent-layout.tsx'), 'AgentLayout'),
})
