import type { Actor } from '#kernel/actor.ts'
import { defineFaults, Fault } from '#kernel/fault.ts'
import type { Tx } from '#platform/db/database.ts'
import { isGrantLive, isKeyLive, isSessionLive } from './credential-store.ts'

export const credentialFaults = defineFaults({
  /** The session, key or grant ended after the request was authenticated. */
  credential_ended: 'unauthenticated',
})

/**
 * A step: a request is authenticated before its unit. If the credential ends in between, the unit
 * must not create another one, which would outlive `endAllCredentials`. An actor without a
 * credential, as on the command line, passes.
 *
 * @throws Fault credential_ended
 */
export async function requireLiveCredential(
  tx: Tx,
  { session, via }: Pick<Actor, 'session' | 'via'>,
): Promise<void> {
  if (session !== undefined && !(await isSessionLive(tx, session)))
    throw new Fault(credentialFaults.credential_ended)
  if (via === undefined) return
  const isLive = via.kind === 'grant' ? isGrantLive(tx, via.id) : isKeyLive(tx, via.id)
  if (!(await isLive)) throw new Fault(credentialFaults.credential_ended)
}
