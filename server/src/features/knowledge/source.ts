import type { SourceRow } from './store.ts'

/** `processing`: not searched yet. `failed`: never will be; its error says why. */
export const sourceStatuses = ['processing', 'ready', 'failed'] as const
export type SourceStatus = (typeof sourceStatuses)[number]

/** A document that an agent knows. */
export interface Source {
  readonly id: string
  readonly agentId: string
  readonly workspaceId: string
  readonly kind: string
  readonly title: string
  readonly url: string | null
  readonly status: SourceStatus
  /** What went wrong, as a code: `interrupted`. */
  readonly error: string | null
  /** UTF-8 bytes of the text. */
  readonly bytes: number
  readonly chunkCount: number
  /** An estimate, see estimateTokens. */
  readonly tokenCount: number
  readonly createdAt: number
  readonly updatedAt: number
}

export function sourceFromRow(row: SourceRow): Source {
  return {
    id: row.id,
    agentId: row.agent_id,
    workspaceId: row.workspace_id,
    kind: row.kind,
    title: row.title,
    url: row.url,
    status: statusFromRow(row.status),
    error: row.error_code,
    bytes: row.byte_length,
    chunkCount: row.chunk_count,
    tokenCount: row.token_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function statusFromRow(status: string): SourceStatus {
  const known = sourceStatuses.find((name) => name === status)
  if (known !== undefined) return known
  throw new Error(`Unknown source status in the database: ${status}`)
}
