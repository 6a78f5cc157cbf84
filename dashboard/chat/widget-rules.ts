import type { WidgetSettings } from './widget-view.ts'

/** Below this width the widget covers the page, so it opens only on a click. */
const narrow = 640

/** Opens the widget as its rules say: once, on the pages that they name. */
export function opensOnRule(
  { after_seconds: seconds, at_scroll: scroll, on_paths: paths }: WidgetSettings,
  open: () => void,
): void {
  if (innerWidth < narrow || (paths.length > 0 && !paths.some(isHere))) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const begin = () => {
    clearTimeout(timer)
    removeEventListener('scroll', check)
    open()
  }
  const check = () => {
    const { scrollHeight } = document.documentElement
    const seen = ((scrollY + innerHeight) / scrollHeight) * 100
    // On a page without a scroll bar, the percentage does not show that it has been read.
    if (scrollY > 0 && scroll !== null && seen >= scroll) begin()
  }
  if (seconds !== null) timer = setTimeout(begin, seconds * 1000)
  if (scroll !== null) addEventListener('scroll', check, { passive: true })
}

function isHere(path: string): boolean {
  return path.endsWith('*')
    ? location.pathname.startsWith(path.slice(0, -1))
    : location.pathname === path
}
