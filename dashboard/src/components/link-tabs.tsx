import { Link, type LinkProps } from '@tanstack/react-router'
import { useCurrentInView } from './use-current-in-view.ts'

export interface LinkTab {
  readonly label: string
  readonly link: Pick<LinkProps, 'to' | 'params'>
}

/** Sections of a page with a URL each. They are links, not ARIA tabs. */
export function LinkTabs({
  label,
  tabs,
}: {
  readonly label: string
  readonly tabs: readonly LinkTab[]
}) {
  const nav = useCurrentInView()
  return (
    <nav
      ref={nav}
      aria-label={label}
      className="-mx-4 overflow-x-auto border-b border-line px-4 sm:mx-0 sm:px-0"
    >
      <ul className="flex min-w-max -ml-3 gap-1">
        {tabs.map((tab) => (
          <li key={tab.label}>
            <Link
              {...tab.link}
              className="relative block rounded-t-lg px-3 py-2.5 text-sm text-soft hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:font-medium aria-[current=page]:text-ink aria-[current=page]:after:absolute aria-[current=page]:after:inset-x-3 aria-[current=page]:after:-bottom-px aria-[current=page]:after:h-0.5 aria-[current=page]:after:rounded-full aria-[current=page]:after:bg-accent"
            >
              {tab.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
