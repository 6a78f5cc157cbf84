/**
 * The turns that this process is answering now, so that a shutdown can wait until each is stored.
 * Nothing else reads it.
 */
const running = new Set<Promise<unknown>>()

export function trackTurn(done: Promise<unknown>): void {
  running.add(done)
  const forget = () => running.delete(done)
  done.then(forget, forget)
}

/** Resolves when no turn is running: every answer, whole or partial, is stored. */
export async function settleTurns(): Promise<void> {
  while (running.size > 0) await Promise.allSettled(running)
}
