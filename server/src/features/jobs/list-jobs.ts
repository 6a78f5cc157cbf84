import { z } from 'zod'
import { pageById, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { listJobRows, type JobFilter, type JobRow } from './store.ts'

/** Work that a workspace waits for, as its row says it. Times are epoch milliseconds. */
export interface ListedJob {
  readonly id: string
  /** `<feature>.<what it does>` */
  readonly kind: string
  /** The id of the record that it works on: a source, a payment, a delivery; null where none is named. */
  readonly target: string | null
  readonly status: JobRow['status']
  /** How often it was begun. */
  readonly attempts: number
  /** Null for what runs or has ended. */
  readonly nextRunAt: number | null
  /** As it was thrown: it may name hosts of the operator's network. */
  readonly lastError: string | null
  readonly createdAt: number
  readonly finishedAt: number | null
}

/** What the service does, did lately and will do for a workspace by itself; newest first. */
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

/** Inputs of jobs name the record first: `{paymentId}`, `{sourceId}`, `{id, round}`. */
function targetOf(inputJson: string): string | null {
  const input = jobInput.parse(JSON.parse(inputJson))
  const id = Object.entries(input).find(([name]) => name === 'id' || name.endsWith('Id'))?.[1]
  return typeof id === 'string' ? id : null
}
