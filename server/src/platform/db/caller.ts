import { AsyncLocalStorage } from 'node:async_hooks'

/** On whose behalf the running code reads. */
export interface Caller {
  /** Aborted when nobody waits for the result any more. It is asked for only by long reads. */
  signal(): AbortSignal
  /** True for work that no person waits for. */
  readonly isBackground: boolean
}

/** Shared by all open databases. */
const calling = new AsyncLocalStorage<Caller>()

/** Implements `Database.forCaller`. */
export function forCaller<T>(caller: Caller, code: () => T): T {
  return calling.run(caller, code)
}

/** Null outside requests and jobs, such as in a command. */
export function currentCaller(): Caller | null {
  return calling.getStore() ?? null
}
