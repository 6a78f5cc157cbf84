/** A page may load for very long, for example when it streams. */
const longestLoadMs = 4000
/** A busy page still shows the button some time. */
const longestBusyMs = 2000

/** Resolves when the page of the host has loaded. */
export function whenLoaded(): Promise<void> {
  if (document.readyState === 'complete') return Promise.resolve()
  return new Promise((resolve) => {
    addEventListener('load', () => resolve(), { once: true })
    setTimeout(resolve, longestLoadMs)
  })
}

/** Resolves when the page of the host has nothing to do, so that the widget delays nothing. */
export function whenIdle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari has none.
    if ('requestIdleCallback' in window)
      requestIdleCallback(() => resolve(), { timeout: longestBusyMs })
    else setTimeout(resolve, 200)
  })
}

/** Resolves when there is a `<body>`. */
export function whenParsed(): Promise<void> {
  if (document.body !== null) return Promise.resolve()
  return new Promise((resolve) => {
    document.addEventListener('DOMContentLoaded', () => resolve(), { once: true })
  })
}

/** The page itself, and the empty one with which browsers open a tab. */
const shortestHistory = 2

/**
 * Whether this tab has certainly shown no other page of the site, so that its storage cannot remember
 * anything. The first use of a storage blocks the page until the browser has read it.
 *
 * A page that another one has led to is not the first, even if it took its place in the history, as a
 * link to the same address does. After another site, such as one where people sign in, only the length of
 * the history tells.
 */
export function isFirstPage(): boolean {
  const [entry] = performance.getEntriesByType('navigation')
  const isNew = entry instanceof PerformanceNavigationTiming && entry.type === 'navigate'
  const from = 'navigation' in window ? window.navigation.activation?.from : undefined
  return isNew && from === null && history.length <= shortestHistory
}
