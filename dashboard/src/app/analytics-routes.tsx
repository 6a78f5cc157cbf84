import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { analyticsSearch, conversationsSearch } from '#features/analytics/analytics-search.ts'
import { agent } from './agent-route.tsx'

const analytics = createRoute({
  getParentRoute: () => agent,
  path: '/analytics',
  component: lazyRouteComponent(
    () => import('#features/analytics/analytics-layout.tsx'),
    'AnalyticsLayout',
  ),
})

const analyticsIndex = createRoute({
  getParentRoute: () => analytics,
  path: '/',
  beforeLoad({ params }) {
    throw redirect({ to: '/agents/$appId/analytics/overview', params, replace: true })
  },
})

const overview = createRoute({
  getParentRoute: () => analytics,
  path: '/overview',
  validateSearch: analyticsSearch,
  component: lazyRouteComponent(
    () => import('#features/analytics/overview-page.tsx'),
    'OverviewPage',
  ),
})

const conversations = createRoute({
  getParentRoute: () => analytics,
  path: '/conversations',
  validateSearch: conversationsSearch,
  component: lazyRouteComponent(
    () => import('#features/analytics/conversations-page.tsx'),
    'ConversationsPage',
  ),
})

const conversation = createRoute({
  getParentRoute: () => analytics,
  path: '/conversations/$sessionId',
  component: lazyRouteComponent(
    () => import('#features/analytics/conversation-page.tsx'),
    'ConversationPage',
  ),
})

/** /agents/{appId}/analytics and all below it. */
export const analyticsRoutes = analytics.addChildren([
  analyticsIndex,
  overview,
  conversations,
  conversation,
])
