import { createRoute, lazyRouteComponent, retainSearchParams } from '@tanstack/react-router'
import { compareSearch } from '#features/build/compare/compare-search.ts'
import { buildSearch, importSearch, variablesSearch } from '#features/build/build-search.ts'
import { flag } from '#components/search-flag.ts'
import { agent } from './agent-route.tsx'

const build = createRoute({
  getParentRoute: () => agent,
  path: '/build',
  validateSearch: buildSearch,
  search: { middlewares: [retainSearchParams(['chat'])] },
  component: lazyRouteComponent(() => import('#features/build/build-layout.tsx'), 'BuildLayout'),
})

const settings = createRoute({
  getParentRoute: () => build,
  path: '/',
  component: lazyRouteComponent(() => import('#features/build/build-page.tsx'), 'BuildPage'),
})

const actions = createRoute({
  getParentRoute: () => build,
  path: '/actions',
  component: lazyRouteComponent(
    () => import('#features/build/actions/actions-page.tsx'),
    'ActionsPage',
  ),
})

const newAction = createRoute({
  getParentRoute: () => build,
  path: '/actions/new',
  component: lazyRouteComponent(
    () => import('#features/build/actions/new-action-page.tsx'),
    'NewActionPage',
  ),
})

const importActions = createRoute({
  getParentRoute: () => build,
  path: '/actions/import',
  validateSearch: importSearch,
  component: lazyRouteComponent(
    () => import('#features/build/actions/import-actions-page.tsx'),
    'ImportActionsPage',
  ),
})

const action = createRoute({
  getParentRoute: () => build,
  path: '/actions/$actionId',
  component: lazyRouteComponent(
    () => import('#features/build/actions/action-page.tsx'),
    'ActionPage',
  ),
})

const variables = createRoute({
  getParentRoute: () => build,
  path: '/variables',
  validateSearch: variablesSearch,
  component: lazyRouteComponent(
    () => import('#features/build/variables/variables-page.tsx'),
    'VariablesPage',
  ),
})

const servers = createRoute({
  getParentRoute: () => build,
  path: '/servers',
  validateSearch: (search: Record<string, unknown>) => flag(search, 'add'),
  component: lazyRouteComponent(
    () => import('#features/build/servers/servers-page.tsx'),
    'ServersPage',
  ),
})

const versions = createRoute({
  getParentRoute: () => build,
  path: '/versions',
  component: lazyRouteComponent(
    () => import('#features/build/versions/versions-page.tsx'),
    'VersionsPage',
  ),
})

const version = createRoute({
  getParentRoute: () => build,
  path: '/versions/$version',
  component: lazyRouteComponent(
    () => import('#features/build/versions/version-page.tsx'),
    'VersionPage',
  ),
})

const compare = createRoute({
  getParentRoute: () => build,
  path: '/compare',
  validateSearch: compareSearch,
  component: lazyRouteComponent(
    () => import('#features/build/compare/compare-page.tsx'),
    'ComparePage',
  ),
})

export const buildRoutes = build.addChildren([
  settings,
  actions,
  newAction,
  importActions,
  action,
  variables,
  servers,
  versions,
  version,
  compare,
])
