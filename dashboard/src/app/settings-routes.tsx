import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { flag } from '#components/search-flag.ts'
import { auditSearch, billingSearch, jobsSearch } from '#features/settings/settings-search.ts'
import { rootRoute } from './root-route.tsx'

const settings = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  component: lazyRouteComponent(
    () => import('#features/settings/settings-layout.tsx'),
    'SettingsLayout',
  ),
})

const settingsIndex = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad() {
    throw redirect({ to: '/settings/workspace', replace: true })
  },
})

const settingsWorkspace = createRoute({
  getParentRoute: () => settings,
  path: '/workspace',
  component: lazyRouteComponent(
    () => import('#features/settings/workspace/workspace-page.tsx'),
    'WorkspacePage',
  ),
})

const settingsMembers = createRoute({
  getParentRoute: () => settings,
  path: '/members',
  validateSearch: (search: Record<string, unknown>) => flag(search, 'invite'),
  component: lazyRouteComponent(
    () => import('#features/settings/members/members-page.tsx'),
    'MembersPage',
  ),
})

const settingsDeveloper = createRoute({
  getParentRoute: () => settings,
  path: '/developer',
  validateSearch: (search: Record<string, unknown>) => flag(search, 'create'),
  component: lazyRouteComponent(
    () => import('#features/settings/developer/developer-page.tsx'),
    'DeveloperPage',
  ),
})

const settingsConnectedApps = createRoute({
  getParentRoute: () => settings,
  path: '/connected-apps',
  component: lazyRouteComponent(
    () => import('#features/settings/developer/connected-apps-page.tsx'),
    'ConnectedAppsPage',
  ),
})

const settingsProviders = createRoute({
  getParentRoute: () => settings,
  path: '/providers',
  validateSearch: (search: Record<string, unknown>): { readonly edit?: string } =>
    typeof search.edit === 'string' ? { edit: search.edit } : {},
  component: lazyRouteComponent(
    () => import('#features/settings/providers/providers-page.tsx'),
    'ProvidersPage',
  ),
})

const settingsBilling = createRoute({
  getParentRoute: () => settings,
  path: '/billing',
  validateSearch: billingSearch,
  component: lazyRouteComponent(
    () => import('#features/settings/billing/billing-page.tsx'),
    'BillingPage',
  ),
})

const settingsAudit = createRoute({
  getParentRoute: () => settings,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(
    () => import('#features/settings/audit/audit-page.tsx'),
    'AuditPage',
  ),
})

const settingsJobs = createRoute({
  getParentRoute: () => settings,
  path: '/jobs',
  validateSearch: jobsSearch,
  component: lazyRouteComponent(() => import('#features/settings/jobs/jobs-page.tsx'), 'JobsPage'),
})

/** /settings and all below it. */
export const settingsRoutes = settings.addChildren([
  settingsIndex,
  settingsWorkspace,
  settingsMembers,
  settingsDeveloper,
  settingsConnectedApps,
  settingsProviders,
  settingsBilling,
  settingsAudit,
  settingsJobs,
])
