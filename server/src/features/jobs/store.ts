import type { Selectable } from 'kysely'
import type { Schema } from '#platform/db/schema.ts'
import type { Reader } from '#platform/db/database.ts'

export type JobRow = Selectable<Schema['jobs']>

export interface JobFilter {
  readonly workspaceId: string
  readonly status?: JobRow['status'] | undefined
}

/** Newest first: ids are in order of time. Ended jobs are included until they are purged. */
export function listJobRows(
  reader: Reader,
  { workspaceId, status }: JobFilter,
  page: { readonly limit: number; readonly before: string | undefined },
): Promise<JobRow[]> {
  let query = reader
    .selectFrom('jobs')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .limit(page.limit)
  if (status !== undefined) query = query.where('status', '=', status)
  if (page.before !== undefined) query = query.where('id', '<', page.before)
  return query.execute()
}
