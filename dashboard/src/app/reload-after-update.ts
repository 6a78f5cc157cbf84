const place = 'parley-reloaded-at'
const onceInMs = 30_000

/**
 * A chunk that can no longer be loaded belongs to an older build: reload the page, which keeps its
 * address and drafts. Not twice in a short time: then the build is not the reason.
 */
export function reloadAfterUpdate(): void {
  globalThis.addEventListener('vite:preloadError', (event) => {
    if (Date.now() - Number(sessionStorage.getItem(place) ?? 0) < onceInMs) return
    sessionStorage.setItem(place, String(Date.now()))
    event.preventDefault()
    location.reload()
  })
}
