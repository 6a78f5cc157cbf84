import type { Database, Tx } from '#platform/db/database.ts'
import { eventMac, type EventContent, type Mac } from './event-macs.ts'

interface Signer {
  readonly db: Database
  readonly vault: Mac
  /** The events of one run of a unit, which may run again. */
  readonly recorded: EventContent[]
}

const signers = new WeakMap<Tx, Signer>()

/**
 * The database whose units sign the events that they record. After a unit that recorded some,
 * `onRecorded` gets them.
 */
export function signedDatabase(
  db: Database,
  vault: Mac,
  onRecorded: (events: readonly EventContent[]) => void = () => undefined,
): Database {
  // Adapters are plain objects of closures, so a copy with another `write` works as a database.
  return {
    ...db,
    async write(unit, options) {
      let recorded: EventContent[] = []
      const result = await db.write((tx) => {
        recorded = []
        signers.set(tx, { db, vault, recorded })
        return unit(tx)
      }, options)
      if (recorded.length > 0) onRecorded(recorded)
      return result
    },
  }
}

/** The database of a unit, for its prepared statements. Null on a database that does not sign. */
export function databaseOf(tx: Tx): Database | null {
  return signers.get(tx)?.db ?? null
}

/** A step. Null on a database that does not sign: the event is then reported by `parley audit verify`. */
export function signEvent(tx: Tx, row: EventContent): string | null {
  const signer = signers.get(tx)
  signer?.recorded.push(row)
  return signer === undefined ? null : eventMac(signer.vault, row)
}
