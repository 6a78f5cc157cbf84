import { Outlet, useRouterState, useSearch } from '@tanstack/react-router'
import { Menu as MenuIcon, X } from '#ui/icons.ts'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useMe, type Me, type Workspace } from '#api/me.ts'
import { WorkspaceContext } from '#api/workspace.ts'
import { LoadingRows } from '#components/states.tsx'
import { t } from '#texts/t.ts'
import { CommandPaletteHost } from './command-palette-host.tsx'
import { FactorNeeded } from './factor-needed.tsx'
import { keepLastWorkspace } from './last-workspace.ts'
import { NoWorkspace } from './no-workspace.tsx'
import { Sidebar } from './sidebar.tsx'

/** The frame of every page: skip link, navigation, the page itself. */
export function Shell() {
  const me = useMe()
  const workspace = useCurrentWorkspace(me)
  const isOwn = workspace === null || workspace.id === me.default_workspace_id
  const id = isOwn ? null : workspace.id
  useEffect(() => keepLastWorkspace(id), [id])
  if (workspace === null) return <NoWorkspace me={me} />
  return (
    <WorkspaceContext value={workspace}>
      {workspace.waits_for_second_factor ? <FactorNeeded me={me} /> : <Frame />}
    </WorkspaceContext>
  )
}

/** The workspace in the URL, or the user's own. Null if the user is not a member of any. */
function useCurrentWorkspace(me: Me): Workspace | null {
  const { workspace } = useSearch({ strict: false })
  const named = me.workspaces.find(({ id }) => id === workspace)
  const own = me.workspaces.find(({ id }) => id === me.default_workspace_id)
  return named ?? own ?? me.workspaces[0] ?? null
}

function Frame() {
  const [isOpen, setIsOpen] = useState(false)
  const main = useFocusOnArrival(() => setIsOpen(false))
  useEscape(isOpen, () => setIsOpen(false))
  return (
    <div className="flex min-h-dvh flex-col lg:flex-row">
      <button
        type="button"
        onClick={() => main.current?.focus()}
        className="sr-only rounded-lg bg-accent text-sm font-medium text-on-accent focus-visible:not-sr-only focus-visible:fixed focus-visible:top-2 focus-visible:left-2 focus-visible:z-60 focus-visible:px-4 focus-visible:py-2"
      >
        {t('shell.skip')}
      </button>
      <CommandPaletteHost />
      <TopBar isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} />
      <Sidebar isOpen={isOpen} onClose={() => setIsOpen(false)} />
      <main
        ref={main}
        tabIndex={-1}
        className="mx-auto w-full max-w-6xl min-w-0 flex-1 px-4 pt-6 pb-24 sm:px-8 sm:pt-8"
      >
        <Suspense fallback={<LoadingRows />}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  )
}

/** Escape closes the navigation of small screens; its button, which has the focus, stays. */
function useEscape(isOpen: boolean, onEscape: () => void): void {
  const escape = useRef(onEscape)
  useEffect(() => {
    escape.current = onEscape
  })
  useEffect(() => {
    if (!isOpen) return
    const onKey = ({ key, defaultPrevented }: KeyboardEvent) => {
      if (key === 'Escape' && !defaultPrevented) escape.current()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [isOpen])
}

/** Notifications appear in it, beside its button: it grows with them. */
function TopBar({ isOpen, onToggle }: { readonly isOpen: boolean; readonly onToggle: () => void }) {
  return (
    <header className="sticky top-0 z-30 box-content flex h-14 items-center gap-2 border-b border-line bg-ground/95 px-2 pb-[max(0px,var(--toasts-height)-2.75rem)] lg:hidden">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls="navigation"
        aria-label={isOpen ? t('shell.closeNavigation') : t('shell.openNavigation')}
        onClick={onToggle}
        className="rounded-lg p-2.5 text-soft hover:bg-hover hover:text-ink"
      >
        {isOpen ? (
          <X className="size-5" aria-hidden />
        ) : (
          <MenuIcon className="size-5" aria-hidden />
        )}
      </button>
      <span className="font-semibold">{t('shell.product')}</span>
    </header>
  )
}

/**
 * Moves the focus to the new page after a navigation. Otherwise it stays on the link.
 */
function useFocusOnArrival(onArrival: () => void) {
  const main = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const last = useRef(path)
  const arrived = useRef(onArrival)
  useEffect(() => {
    arrived.current = onArrival
  })
  useEffect(() => {
    if (last.current === path) return
    last.current = path
    arrived.current()
    main.current?.focus({ preventScroll: true })
  }, [path])
  return main
}
