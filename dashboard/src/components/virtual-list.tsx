import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'

export interface VirtualListProps<Item> {
  readonly label: string
  readonly items: readonly Item[]
  keyOf(item: Item): string
  /** The height of a row before it is measured. */
  readonly rowPixels: number
  readonly children: (item: Item) => ReactNode
  /** Called when the reader approaches the end. */
  readonly onEnd?: (() => void) | undefined
}

/** A long list that scrolls with the page. Only rows near the viewport are rendered. */
export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { label, items, keyOf, rowPixels, children, onEnd } = props
  const list = useRef<HTMLUListElement>(null)
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => {
    const measure = () =>
      setOffset((list.current?.getBoundingClientRect().top ?? 0) + globalThis.scrollY)
    measure()
    // Content above the list may change its height, such as a notice or filters that wrap.
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [])
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowPixels,
    overscan: 8,
    scrollMargin: offset,
    getItemKey: (index) => {
      const item = items[index]
      return item === undefined ? index : keyOf(item)
    },
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (items.length > 0 && last >= items.length - 5) onEnd?.()
  }, [last, items.length, onEnd])
  return (
    <ul ref={list} aria-label={label} className="relative" style={{ height: rows.getTotalSize() }}>
      {shown.map(({ index, key, start }) => {
        const item = items[index]
        return item === undefined ? null : (
          <li
            key={key}
            ref={rows.measureElement}
            data-index={index}
            aria-setsize={onEnd === undefined ? items.length : -1}
            aria-posinset={index + 1}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${start - offset}px)` }}
          >
            {children(item)}
          </li>
        )
      })}
    </ul>
  )
}
