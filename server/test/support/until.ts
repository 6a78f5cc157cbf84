import { setTimeout as sleep } from 'node:timers/promises'

interface Patience {
  /** Ends a wait that would never succeed. It is long because the machine may be slow. */
  readonly patienceMs?: number
  readonly everyMs?: number
}

/**
 * Waits until a condition holds, even on a busy machine. If the condition reads only this process,
 * the caller continues at that moment: no server of this process responds in between.
 *
 * @param what describes the condition in the error
 */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { patienceMs = 240_000, everyMs = 5 }: Patience = {},
): Promise<void> {
  const startedAt = performance.now()
  while (!(await isSo())) {
    if (performance.now() - startedAt > patienceMs)
      throw new Error(`waited ${patienceMs} ms until ${what}`)
    await sleep(everyMs)
  }
}
