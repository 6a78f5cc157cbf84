import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { shareSearch } from '#features/share/share-search.ts'
import { agent } from './agent-route.tsx'

const layout = () => import('#features/share/share-layout.tsx')

const share = createRoute({
  getParentRoute: () => agent,
  path: '/share',
  validateSearch: shareSearch,
  component: lazyRouteComponent(layout, 'ShareLayout'),
})

const shareIndex = createRoute({
  getParentRoute: () => share,
  path: '/',
  beforeLoad({ params, search }) {
    // Links from before the parts had addresses: both belong to the API.
    if (search.create === true || search.language !== undefined)
      throw redirect({ to: '/agents/$appId/share/api', params, search: true, replace: true })
  },
  component: lazyRouteComponent(layout, 'ShareIndex'),
})

const api = createRoute({
  getParentRoute: () => share,
  path: '/api',
  component: lazyRouteComponent(() => import('#features/share/api-page.tsx'), 'ApiPage'),
})

const pages = () => import('#features/share/chat-page-pages.tsx')

const page = createRoute({
  getParentRoute: () => share,
  path: '/page',
  component: lazyRouteComponent(pages, 'PagePage'),
})

const look = createRoute({
  getParentRoute: () => share,
  path: '/look',
  component: lazyRouteComponent(pages, 'LookPage'),
})

const widget = createRoute({
  getParentRoute: () => share,
  path: '/widget',
  component: lazyRouteComponent(pages, 'WidgetPage'),
})

const visitors = createRoute({
  getParentRoute: () => share,
  path: '/visitors',
  component: lazyRouteComponent(pages, 'VisitorsPage'),
})

export const shareRoutes = share.addChildren([shareIndex, api, page, look, widget, visitors])
