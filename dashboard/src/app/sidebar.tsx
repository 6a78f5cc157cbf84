import { Link, useLocation } from '@tanstack/react-router'
import { BookOpen, Bot, Plus, Settings } from '#ui/icons.ts'
import type { ReactNode } from 'react'
import { basePath } from '#api/base-path.ts'
import { useMe } from '#api/me.ts'
import { useOperation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { t } from '#texts/t.ts'
import { classNames } from '#ui/class-names.ts'
import { AccountMenu } from './account-menu.tsx'
import { helpPage } from './help-page.ts'
import { Mark } from './mark.tsx'
import { WorkspaceSwitcher } from './workspace-switcher.tsx'

export interface SidebarProps {
  /** On small screens the sidebar is a drawer; this opens it. */
  readonly isOpen: boolean
  onClose(): void
}

export function Sidebar({ isOpen, onClose }: SidebarProps) {
  const me = useMe()
  return (
    <>
      {isOpen && (
        <div
          aria-hidden
          onClick={onClose}
          className="fixed inset-0 top-14 z-20 bg-veil lg:hidden"
        />
      )}
      <aside
        id="navigation"
        className={classNames(
          'z-30 w-72 shrink-0 flex-col gap-4 border-line bg-ground p-3 lg:sticky lg:top-0 lg:flex lg:h-dvh lg:w-64 lg:border-r',
          isOpen ? 'fixed top-14 bottom-0 left-0 flex border-r' : 'hidden',
        )}
      >
        <div className="hidden items-center gap-2 px-2 pt-2 lg:flex">
          <Mark className="size-7" />
          <span className="text-lg font-semibold tracking-tight">{t('shell.product')}</span>
        </div>
        <WorkspaceSwitcher me={me} />
        <nav aria-label={t('shell.navigation')} className="flex min-h-0 flex-1 flex-col gap-1">
          <NavLink to="/agents" exact icon={<Bot aria-hidden />}>
            {t('shell.agents')}
          </NavLink>
          <AgentLinks />
          {/* Notifications appear above this link; the list of agents leaves them space. */}
          <div className="mt-auto pt-3 lg:pt-[calc(0.75rem+var(--toasts-height))]">
            <NavLink to="/settings" icon={<Settings aria-hidden />}>
              {t('shell.settings')}
            </NavLink>
            <HelpLink />
          </div>
        </nav>
        <AccountMenu me={me} />
      </aside>
    </>
  )
}

const linkStyle =
  'flex min-w-0 items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm text-soft hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-ground aria-[current=page]:font-medium aria-[current=page]:text-accent [&_svg]:size-4.5 [&_svg]:shrink-0'

interface NavLinkProps {
  readonly to: '/agents' | '/settings'
  readonly exact?: boolean
  readonly icon: ReactNode
  readonly children: ReactNode
}

function NavLink({ to, exact = false, icon, children }: NavLinkProps) {
  return (
    <Link to={to} activeOptions={{ exact, includeSearch: false }} className={linkStyle}>
      {icon}
      {children}
    </Link>
  )
}

/** Opens the documentation at the page about what is shown. */
function HelpLink() {
  const page = useLocation({ select: ({ pathname }) => helpPage(pathname) })
  return (
    <a href={`${basePath}/docs/${page}`} target="_blank" rel="noreferrer" className={linkStyle}>
      <BookOpen aria-hidden />
      {t('shell.help')}
      <span className="sr-only">{t('shell.newTab')}</span>
    </a>
  )
}

/** How many agents the sidebar shows. The agents page lists all of them. */
const maxShown = 30

function AgentLinks() {
  const workspace = useWorkspace()
  const mayCreate = useMay('editor')
  const { data } = useOperation('list_apps', { workspace_id: workspace.id, limit: maxShown })
  return (
    <ul className="-mx-1 flex min-h-0 flex-col gap-0.5 overflow-y-auto px-1 py-0.5">
      {data?.items.map((agent) => (
        <li key={agent.id}>
          <Link
            to="/agents/$appId"
            params={{ appId: agent.app_name_id }}
            activeOptions={{ includeSearch: false }}
            className={classNames(linkStyle, 'pl-9')}
          >
            <span className="truncate">{agent.name}</span>
          </Link>
        </li>
      ))}
      {mayCreate && (
        <li>
          <Link to="/agents/new" className={classNames(linkStyle, 'pl-9')}>
            <Plus aria-hidden className="-ml-6.5" />
            {t('shell.newAgent')}
          </Link>
        </li>
      )}
    </ul>
  )
}
