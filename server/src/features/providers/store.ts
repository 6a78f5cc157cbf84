import type { Selectable } from 'kysely'
import type { Reader, Tx } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

export type ProviderRow = Selectable<Schema['model_providers']>

export function findProvider(reader: Reader, workspaceId: string, provider: string) {
  return reader
    .selectFrom('model_providers')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('provider', '=', provider)
    .executeTakeFirst()
}

/** All of a workspace's own providers: a handful. */
export function listProviders(reader: Reader, workspaceId: string): Promise<ProviderRow[]> {
  return reader
    .selectFrom('model_providers')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('provider')
    .execute()
}

export async function upsertProvider(tx: Tx, row: ProviderRow): Promise<void> {
  const { base_url, api_key_sealed, updated_at } = row
  await tx
    .insertInto('model_providers')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'provider'])
        .doUpdateSet({ base_url, api_key_sealed, updated_at }),
    )
    .execute()
}

export async function deleteProvider(tx: Tx, workspaceId: string, provider: string): Promise<void> {
  await tx
    .deleteFrom('model_providers')
    .where('workspace_id', '=', workspaceId)
    .where('provider', '=', provider)
    .execute()
}
