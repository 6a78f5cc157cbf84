import { AsyncLocalStorage } from 'node:async_hooks'

/** For whom the running code works, across awaits; shared by all open databases. */
const acting = new AsyncLocalStorage<string>()

/** Implements `Database.forTenant`. */
export function forTenant<T>(tenant: string, code: () => T): T {
  return acting.run(tenant, code)
}

/** Work of no workspace, such as a sign-in, shares one turn. */
export function currentTenant(): string {
  return acting.getStore() ?? ''
}
