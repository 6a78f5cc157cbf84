const place = 'parley-reloaded-at'
const onceInMs = 30_000

/**
 * A part of the page that is gone was of an older build: the page is loaded anew, with its address
 * and its drafts. Not twice in a short time: then it is not the build.
 */
export function reloadAfterUpdate(): void {
  globalThis.addEventListener('vite:preloadError', (event) => {
    if (Date.now() - Number(sessionStorage.getItem(place) ?? 0) < onceInMs) return
    sessionStorage.setItem(place, String(Date.now()))
    event.preventDefault()
    location.reload()
  })
}
