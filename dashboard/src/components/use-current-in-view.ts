import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef, type RefObject } from 'react'

/**
 * Scrolls the link to the current page into view, since a small screen does not show all links.
 *
 * @param shown how many links there are, if they are loaded
 */
export function useCurrentInView<E extends HTMLElement = HTMLElement>(
  shown?: number,
): RefObject<E | null> {
  const links = useRef<E>(null)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useEffect(() => {
    const current = links.current?.querySelector('[aria-current=page]')
    current?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [path, shown])
  return links
}
