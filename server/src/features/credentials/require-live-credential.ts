import type { Actor } from '#kernel/actor.ts'
import { defineFaults, Fault } from '#kernel/fault.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { isDisabled, isGrantLive, isKeyLive, isSessionLive } from './credential-store.ts'

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
  actor: Pick<Actor, 'session' | 'via'>,
): Promise<void> {
  const by = credentialOf(actor)
  if (by !== undefined && !(await isLive(tx, by)))
    throw new Fault(credentialFaults.credential_ended)
}

/** The session, key or grant that a person acted with. */
export interface Credential {
  readonly kind: 'session' | 'developer_key' | 'grant'
  readonly id: string
}

/** A request has one credential; those of the command line have none. */
export function credentialOf({ session, via }: Pick<Actor, 'session' | 'via'>) {
  if (session !== undefined) return { kind: 'session', id: session } satisfies Credential
  return via === undefined ? undefined : { kind: via.kind, id: via.id }
}

/**
 * Whether what a person created with a credential may still act for them. Without a credential, as on
 * the command line, it may until the person is disabled.
 */
export async function isCredentialLive(
  reader: Reader,
  userId: string,
  by: Credential | undefined,
): Promise<boolean> {
  if (await isDisabled(reader, userId)) return false
  return by === undefined || (await isLive(reader, by))
}

function isLive(reader: Reader, { kind, id }: Credential): Promise<boolean> {
  switch (kind) {
    case 'session':
      return isSessionLive(reader, id)
    case 'grant':
      return isGrantLive(reader, id)
    case 'developer_key':
      return isKeyLive(reader, id)
  }
}
