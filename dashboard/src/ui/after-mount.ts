/** What the list of notifications offers once it is on the page. */
interface Receiver<Toast> {
  add(toast: Toast): unknown
  close(id: string): void
}

/**
 * Keeps notifications until the list that shows them is mounted: it is loaded after the first page, and
 * its manager forgets what it receives before that.
 */
export function afterMount<Toast>(manager: Receiver<Toast>) {
  const mounted = Promise.withResolvers<void>()
  return {
    add: (toast: Toast): void => void mounted.promise.then(() => manager.add(toast)),
    close: (id: string): void => void mounted.promise.then(() => manager.close(id)),
    isMounted: (): void => mounted.resolve(),
  }
}
