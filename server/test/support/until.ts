import { setTimeout as sleep } from 'node:timers/promises'

interface Patience {
  /** Nobody knows how slow the machine is: this ends what would never come. */
  readonly patienceMs?: number
  readonly everyMs?: number
}

/**
 * Waits until something is so, however long that takes on a busy machine. Of what is asked of this
 * process alone it goes on in that very moment: no server of this process answers in between.
 *
 * @param what what is waited for, for the error
 */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { patienceMs = 240_000, everyMs = 5 }: Patience = {},
): Promise<void> {
  const startedAt = performance.now()
  while (!(await isSo())) {
    if (performance.now() - startedAt > patienceMs)
      throw new Error(`waited ${patienceMs} ms in vain until ${what}`)
    await sleep(everyMs)
  }
}
