import type { Database, Tx } from '#platform/db/database.ts'
import { eventMac, type EventContent, type Mac } from './event-macs.ts'

interface Signer {
  readonly vault: Mac
  onEvent(): void
}

const signers = new WeakMap<Tx, Signer>()

/**
 * The database whose units sign the events that they record. `onRecorded` is called after a unit
 * that recorded some.
 */
export function signedDatabase(
  db: Database,
  vault: Mac,
  onRecorded: () => void = () => undefined,
): Database {
  let hasRecorded = false
  const signer = {
    vault,
    onEvent() {
      hasRecorded = true
    },
  }
  // Adapters are plain objects of closures, so a copy with another `write` works as a database.
  return {
    ...db,
    async write(unit, options) {
      const result = await db.write((tx) => {
        signers.set(tx, signer)
        return unit(tx)
      }, options)
      if (hasRecorded) {
        hasRecorded = false
        onRecorded()
      }
      return result
    },
  }
}

/** A step. Null on a database that does not sign: the event is then reported by `parley audit verify`. */
export function signEvent(tx: Tx, row: EventContent): string | null {
  const signer = signers.get(tx)
  signer?.onEvent()
  return signer === undefined ? null : eventMac(signer.vault, row)
}
