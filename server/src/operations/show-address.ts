import { atLeast } from '#kernel/actor.ts'
import { maskAddress } from '#kernel/mask-address.ts'
import { covers, type NamedScope } from '#kernel/scope.ts'
import type { Call } from './operation.ts'

/**
 * How the caller may see stored addresses: whole for a person and a credential that may change them,
 * otherwise without what may be a credential.
 */
export function addressFor(
  { actor, role }: Pick<Call, 'actor' | 'role'>,
  changedWith: NamedScope,
): (address: string) => string {
  const mayChange = atLeast(role, 'editor') && covers(actor.scopes, changedWith)
  return (address) => (mayChange ? address : maskAddress(address))
}
