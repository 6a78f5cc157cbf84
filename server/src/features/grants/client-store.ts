import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type ClientRow = Selectable<Schema['oauth_clients']>

export function findClientRow(reader: Reader, id: string): Promise<ClientRow | undefined> {
  return reader.selectFrom('oauth_clients').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function insertClient(tx: Tx, row: ClientRow): Promise<void> {
  await tx.insertInto('oauth_clients').values(row).execute()
}

/** Stores a client's document, or replaces it. */
export async function keepDocument(tx: Tx, row: ClientRow): Promise<void> {
  await tx
    .insertInto('oauth_clients')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ metadata_json: row.metadata_json, fresh_until: row.fresh_until }),
    )
    .execute()
}

export async function markClientUsed(tx: Tx, id: string, now: number): Promise<void> {
  await tx.updateTable('oauth_clients').set({ last_used_at: now }).where('id', '=', id).execute()
}

/** Deletes clients that have no grant and were not used since. */
export async function deleteIdleClients(tx: Tx, notUsedSince: number): Promise<void> {
  await tx
    .deleteFrom('oauth_clients')
    .where('last_used_at', '<', notUsedSince)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('oauth_grants')
            .select('oauth_grants.id')
            .whereRef('oauth_grants.client_id', '=', 'oauth_clients.id'),
        ),
      ),
    )
    .execute()
}
