/** What the list of notifications offers once it is on the page. */
export interface Receiver<Toast> {
  add(toast: Toast): void
  close(id: string): void
}

/**
 * Keeps notifications until the list that shows them is mounted: it is loaded after the first page, and
 * its manager forgets what it receives before that.
 */
export function afterMount<Toast>() {
  const mounted = Promise.withResolvers<Receiver<Toast>>()
  let isWaiting = false
  let whenWaiting = () => {}
  return {
    add(toast: Toast): void {
      isWaiting = true
      whenWaiting()
      void mounted.promise.then((list) => list.add(toast))
    },
    close: (id: string): void => void mounted.promise.then((list) => list.close(id)),
    isMounted: (list: Receiver<Toast>): void => mounted.resolve(list),
    /** @param load is called when a notification waits for the list, and when one already does */
    onWaiting(load: () => void): void {
      whenWaiting = load
      if (isWaiting) load()
    },
  }
}
