import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { ordersSearch, productsSearch } from '#features/publish/publish-search.ts'
import { flag } from '#components/search-flag.ts'
import { agent } from './agent-route.tsx'

const publish = createRoute({
  getParentRoute: () => agent,
  path: '/publish',
  component: lazyRouteComponent(
    () => import('#features/publish/publish-layout.tsx'),
    'PublishLayout',
  ),
})

const publishIndex = createRoute({
  getParentRoute: () => publish,
  path: '/',
  beforeLoad({ params }) {
    throw redirect({ to: '/agents/$appId/publish/catalog/products', params, replace: true })
  },
})

const catalogIndex = createRoute({
  getParentRoute: () => publish,
  path: '/catalog',
  beforeLoad({ params }) {
    throw redirect({ to: '/agents/$appId/publish/catalog/products', params, replace: true })
  },
})

const products = createRoute({
  getParentRoute: () => publish,
  path: '/catalog/products',
  validateSearch: productsSearch,
  component: lazyRouteComponent(
    () => import('#features/publish/products-page.tsx'),
    'ProductsPage',
  ),
})

const orders = createRoute({
  getParentRoute: () => publish,
  path: '/catalog/orders',
  validateSearch: ordersSearch,
  component: lazyRouteComponent(() => import('#features/publish/orders-page.tsx'), 'OrdersPage'),
})

const webhooks = createRoute({
  getParentRoute: () => publish,
  path: '/catalog/webhooks',
  validateSearch: (search: Record<string, unknown>) => flag(search, 'create'),
  component: lazyRouteComponent(
    () => import('#features/publish/webhooks-page.tsx'),
    'WebhooksPage',
  ),
})

const keys = createRoute({
  getParentRoute: () => publish,
  path: '/catalog/keys',
  validateSearch: (search: Record<string, unknown>) => flag(search, 'create'),
  component: lazyRouteComponent(() => import('#features/publish/keys-page.tsx'), 'AcpKeysPage'),
})

const checkout = createRoute({
  getParentRoute: () => publish,
  path: '/catalog/checkout',
  component: lazyRouteComponent(
    () => import('#features/publish/checkout-page.tsx'),
    'CheckoutPage',
  ),
})

/** /agents/{appId}/publish and all below it. */
export const publishRoutes = publish.addChildren([
  publishIndex,
  catalogIndex,
  products,
  orders,
  webhooks,
  keys,
  checkout,
])
