import { z } from 'zod'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { listJobRows, type JobFilter, type JobRow } from './store.ts'

/** A job of a workspace. Times are epoch milliseconds. */
export interface ListedJob {
  readonly id: string
  /** `<feature>.<what it does>` */
  readonly kind: string
  /** The id of the record that it works on, such as a source; null if its input names none. */
  readonly target: string | null
  readonly status: JobRow['status']
  readonly attempts: number
  /** Null if it is running or has ended. */
  readonly nextRunAt: number | null
  /** The error as it was thrown, which may name hosts of the operator's network. */
  readonly lastError: string | null
  readonly createdAt: number
  readonly finishedAt: number | null
}

/** The background jobs of a workspace, newest first: waiting, running and recently ended ones. */
export function listJobs(
  ctx: Pick<Context, 'db'>,
  filter: JobFilter,
  page: PageRequest,
): Promise<Page<ListedJob>> {
  return pageById(page, (window) => listJobRows(ctx.db.scan, filter, window), jobFromRow)
}

function jobFromRow(row: JobRow): ListedJob {
  return {
    id: row.id,
    kind: row.kind,
    target: targetOf(row.input_json),
    status: row.status,
    attempts: row.attempts,
    nextRunAt: row.status === 'queued' ? row.run_at : null,
    lastError: row.last_error,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  }
}

const jobInput = z.record(z.string(), z.unknown())

/** A job's input names its record first: `{paymentId}`, `{sourceId}`, `{id, round}`. */
function targetOf(inputJson: string): string | null {
  const input = jobInput.parse(JSON.parse(inputJson))
  const id = Object.entries(input).find(([name]) => name === 'id' || name.endsWith('Id'))?.[1]
  return typeof id === 'string' ? id : null
}
