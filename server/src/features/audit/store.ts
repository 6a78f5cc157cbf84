import type { Insertable } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { AuditEventsTable } from '#platform/db/schema.ts'

export async function insertEvent(tx: Tx, row: Insertable<AuditEventsTable>): Promise<void> {
  await tx.insertInto('audit_events').values(row).execute()
}
