import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, type RefObject } from 'react'

/** Scrolls the link to the current page into view, since a small screen does not show all links. */
export function useCurrentInView(): RefObject<HTMLElement | null> {
  const links = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useEffect(() => {
    const current = links.current?.querySelector('[aria-current=page]')
    current?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [path])
  return links
}
