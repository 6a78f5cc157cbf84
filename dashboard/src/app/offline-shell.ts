import { basePath } from '#api/base-path.ts'

/**
 * Registers the service worker that shows the dashboard's own page while the service cannot be reached.
 * Browsers offer it on https and on localhost.
 */
export function keepShell(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  const script = `${basePath}/service-worker.js`
  // After the page, so that it delays nothing. Without it, only the page for no connection is missing.
  globalThis.addEventListener('load', () => {
    navigator.serviceWorker.register(script).catch((error: unknown) => reportError(error))
  })
}
