const place = 'parley-reloaded-at'
const onceInMs = 30_000

/**
 * A chunk that cannot be loaded usually belongs to an older build. Reload the page, which keeps its
 * URL and drafts, but not twice in a short time: then an old build is not the cause.
 */
export function reloadAfterUpdate(): void {
  globalThis.addEventListener('vite:preloadError', (event) => {
    if (!navigator.onLine) return
    if (Date.now() - Number(sessionStorage.getItem(place) ?? 0) < onceInMs) return
    sessionStorage.setItem(place, String(Date.now()))
    event.preventDefault()
    location.reload()
  })
}
