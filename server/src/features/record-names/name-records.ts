import { shownAddress } from '#features/webhooks/index.ts'
import type { Context } from '#platform/context.ts'
import { listNamedRows, type recordKinds } from './store.ts'

/** The name by which people know a record, and where it is shown. */
export interface NamedRecord {
  readonly kind: (typeof recordKinds)[number]
  readonly id: string
  readonly name: string
  /** The `app_name_id` of its agent; null if it belongs to none, or to a deleted one. */
  readonly agent: string | null
}

/**
 * Names the records that logs mention by id: only those of the workspace that still exist.
 *
 * @returns the records by the id that was given
 */
export async function nameRecords(
  { db }: Pick<Context, 'db'>,
  workspaceId: string,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, NamedRecord>> {
  const given = [...new Set(ids.filter((id) => id !== null))]
  if (given.length === 0) return new Map()
  const rows = await listNamedRows(db.read, workspaceId, given)
  return new Map(
    rows.map(({ id, kind, record_id, name, app_name_id: agent }) => [
      id,
      { kind, id: record_id, name: kind === 'webhook' ? shownAddress({ url: name }) : name, agent },
    ]),
  )
}
