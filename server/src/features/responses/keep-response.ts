import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { insertResponse, type Place } from './response-store.ts'

export interface NewResponse {
  readonly id: string
  readonly sessionId: string
  readonly firstSeq: number
  readonly createdAt: number
  /** What it repeats of its request. */
  readonly request: Readonly<Record<string, unknown>>
}

/** Stores a response whose caller waits for it; its id is that of its answer. */
export async function keepResponse(
  { db }: Pick<Context, 'db'>,
  place: Place,
  response: NewResponse,
): Promise<void> {
  await db.write((tx) => keepWithin(tx, place, response))
}

/** A step: stores it together with the messages of its turn. */
export async function keepWithin(
  tx: Tx,
  { workspaceId, agentId }: Place,
  { id, sessionId, firstSeq, createdAt, request }: NewResponse,
): Promise<void> {
  await insertResponse(tx, {
    id,
    workspace_id: workspaceId,
    agent_id: agentId,
    session_id: sessionId,
    message_id: id,
    first_seq: firstSeq,
    request_json: JSON.stringify(request),
    status: 'direct',
    error_code: null,
    created_at: createdAt,
  })
}
