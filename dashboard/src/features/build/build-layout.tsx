import { Link, Outlet, useMatchRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { useCurrentInView } from '#components/use-current-in-view.ts'
import { useAgent } from '#features/agents/index.ts'
import { t } from '#texts/t.ts'
import { classNames } from '#ui/class-names.ts'
import { TestChat } from './test-chat/test-chat.tsx'
import { EditedContext, type EditedSettings } from './settings/edited-settings.ts'

/** The Build pages beside the test chat, which stays open across them. */
export function BuildLayout() {
  const [edited, setEdited] = useState<EditedSettings | null>(null)
  const matches = useMatchRoute()
  const agent = useAgent()
  const isSettings = matches({ to: '/agents/$appId/build' }) !== false
  const isComparison = matches({ to: '/agents/$appId/build/compare' }) !== false
  return (
    <EditedContext value={setEdited}>
      <Parts />
      <div
        className={classNames(
          'grid gap-6 xl:items-start',
          !isComparison && 'xl:grid-cols-[minmax(0,1fr)_minmax(20rem,25rem)]',
        )}
      >
        <div className="min-w-0">
          <Outlet />
        </div>
        {/* On a narrow screen it appears only below the settings. Hidden, it keeps its conversation. */}
        <div
          className={classNames(
            'min-w-0 xl:sticky xl:top-6',
            !isSettings && 'max-xl:hidden',
            isComparison && 'hidden',
          )}
        >
          <TestChat key={agent.id} edited={edited} />
        </div>
      </div>
    </EditedContext>
  )
}

const parts = [
  { label: 'settings', to: '/agents/$appId/build' },
  { label: 'actions', to: '/agents/$appId/build/actions' },
  { label: 'variables', to: '/agents/$appId/build/variables' },
  { label: 'servers', to: '/agents/$appId/build/servers' },
  { label: 'versions', to: '/agents/$appId/build/versions' },
  { label: 'compare', to: '/agents/$appId/build/compare' },
] as const

function Parts() {
  const params = { appId: useAgent().app_name_id }
  const nav = useCurrentInView()
  return (
    <nav
      ref={nav}
      aria-label={t('build.parts.label')}
      className="-mx-4 mb-5 overflow-x-auto px-4 py-1 -mt-1"
    >
      <ul className="flex min-w-max gap-1">
        {parts.map(({ label, to }) => (
          <li key={label}>
            <Link
              to={to}
              params={params}
              activeOptions={{ exact: label === 'settings', includeSearch: false }}
              className="block rounded-full px-3.5 py-1.5 text-[0.8125rem] text-soft hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-ground aria-[current=page]:font-medium aria-[current=page]:text-accent"
            >
              {t(`build.parts.${label}`)}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
