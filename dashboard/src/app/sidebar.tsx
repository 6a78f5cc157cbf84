import { Link, useLocation } from '@tanstack/react-router'
import { BookOpen, Bot, ListChecks, Search, Settings } from '#ui/icons.ts'
import type { ReactNode } from 'react'
import { basePath } from '#api/base-path.ts'
import { useMe } from '#api/me.ts'
import { useOperation } from '#api/use-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'
import { shortcut } from '#texts/keys.ts'
import { t } from '#texts/t.ts'
import { classNames } from '#ui/class-names.ts'
import { AccountMenu } from './account-menu.tsx'
import { AgentLinks } from './agent-links.tsx'
import { helpPage } from './help-page.ts'
import { linkStyle } from './link-style.ts'
import { Mark } from './mark.tsx'
import { openPalette } from './open-palette.ts'
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
          <FindButton />
          <FirstStepsLink />
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

interface NavLinkProps {
  readonly to: '/home' | '/agents' | '/settings'
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

function FindButton() {
  return (
    <button type="button" onClick={openPalette} className={classNames(linkStyle, 'w-full')}>
      <Search aria-hidden />
      <span className="flex-1 text-left">{t('palette.open')}</span>
      <kbd className="font-sans text-xs text-soft" aria-hidden>
        {shortcut('K')}
      </kbd>
    </button>
  )
}

/** Until an agent is shared, or the member hides the steps. */
function FirstStepsLink() {
  const { id: workspace_id } = useWorkspace()
  const isEditor = useMay('editor')
  const { data } = useOperation('get_first_steps', { workspace_id }, { enabled: isEditor })
  if (data === undefined || data.hidden || data.shared) return null
  return (
    <NavLink to="/home" exact icon={<ListChecks aria-hidden />}>
      {t('shell.home')}
    </NavLink>
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
