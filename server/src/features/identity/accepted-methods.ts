import type { Config } from '#config'
import { Fault } from '#kernel/fault.ts'
import { identityFaults } from './identity-faults.ts'

/** False where people sign in with the OpenID provider alone. */
export function acceptsPasswords({ signIn }: Pick<Config, 'signIn'>): boolean {
  return signIn === 'any'
}

/** @throws Fault passwords_off */
export function requirePasswords(config: Pick<Config, 'signIn'>): void {
  if (!acceptsPasswords(config)) throw new Fault(identityFaults.passwords_off)
}
