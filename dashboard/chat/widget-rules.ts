import type { WidgetSettings } from './widget-view.ts'

/** In a narrower window the widget covers the page, so it opens only on a click. */
const wideEnough = '(min-width: 640px)'

/** How often the address is read in browsers that do not report its changes. */
const everyMs = 1000

/**
 * Opens the widget as its rules say: once, on the pages that they name. A page whose script changes the
 * address is a page of its own, on which the time begins again.
 *
 * @returns ends the rules
 */
export function opensOnRule(
  { after_seconds: seconds, at_scroll: scroll, on_paths: paths }: WidgetSettings,
  open: () => void,
): () => void {
  if (seconds === null && scroll === null) return () => undefined
  const ended = new AbortController()
  const { signal } = ended
  let timer: ReturnType<typeof setTimeout> | undefined
  let page: string | undefined
  const end = () => {
    ended.abort()
    clearTimeout(timer)
  }
  const isHere = () => paths.length === 0 || paths.some(covers)
  const begin = () => {
    if (!isHere() || !matchMedia(wideEnough).matches) return
    end()
    open()
  }
  const arrive = () => {
    if (page === location.pathname) return
    page = location.pathname
    clearTimeout(timer)
    if (seconds !== null) timer = setTimeout(begin, seconds * 1000)
  }
  const check = () => {
    // On a page without a scroll bar, the percentage does not show that it has been read.
    if (scroll !== null && scrollY > 0 && seenPercent() >= scroll) begin()
  }
  arrive()
  onAddress(arrive, signal)
  if (scroll !== null) addEventListener('scroll', check, { passive: true, signal })
  return end
}

function seenPercent(): number {
  return ((scrollY + innerHeight) / document.documentElement.scrollHeight) * 100
}

/** Runs when the address may have changed without loading a page. */
function onAddress(changed: () => void, signal: AbortSignal): void {
  if ('navigation' in window)
    return window.navigation.addEventListener('currententrychange', changed, { signal })
  const timer = setInterval(changed, everyMs)
  signal.addEventListener('abort', () => clearInterval(timer))
}

function covers(path: string): boolean {
  return path.endsWith('*')
    ? location.pathname.startsWith(path.slice(0, -1))
    : location.pathname === path
}
