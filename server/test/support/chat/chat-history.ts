import { newId } from '#kernel/ids.ts'
import type { Database } from '#platform/db/database.ts'
import type { Schema } from '#platform/db/schema.ts'

/** A message to store. Fields that are left out are those of an ordinary turn. */
export type MessageInput = Partial<Schema['chat_messages']> & {
  readonly role: 'user' | 'assistant'
  readonly at: number
}

export interface SessionInput {
  readonly id?: string
  readonly workspaceId: string
  readonly agentId: string
  readonly source?: string
  readonly endUser?: string | null
  readonly messages: readonly MessageInput[]
}

/** Stores a conversation as turns would store it. @returns its id and those of its messages */
export async function storeSession(
  db: Database,
  input: SessionInput,
): Promise<{ id: string; messageIds: string[] }> {
  const { id = newId(), messages } = input
  const begun = messages[0]?.at ?? 0
  const rows = messages.map((message, index) => messageRow(id, index + 1, message))
  await db.write(async (tx) => {
    await tx
      .insertInto('chat_sessions')
      .values({
        id,
        workspace_id: input.workspaceId,
        agent_id: input.agentId,
        agent_version: 1,
        source: input.source ?? 'api',
        end_user: input.endUser ?? null,
        created_at: begun,
        last_message_at: messages.at(-1)?.at ?? begun,
        message_count: messages.length,
        lease_token: null,
        lease_until: 0,
      })
      .execute()
    if (rows.length > 0) await tx.insertInto('chat_messages').values(rows).execute()
  })
  return { id, messageIds: rows.map((row) => row.id) }
}

/** Stores further messages in a conversation. @returns their ids */
export async function storeMessages(
  db: Database,
  sessionId: string,
  after: number,
  messages: readonly MessageInput[],
): Promise<string[]> {
  const rows = messages.map((message, index) => messageRow(sessionId, after + index + 1, message))
  await db.write(async (tx) => {
    await tx.insertInto('chat_messages').values(rows).execute()
    await tx
      .updateTable('chat_sessions')
      .set({
        message_count: after + rows.length,
        last_message_at: rows.at(-1)?.created_at ?? 0,
      })
      .where('id', '=', sessionId)
      .execute()
  })
  return rows.map((row) => row.id)
}

function messageRow(
  sessionId: string,
  seq: number,
  { at, ...fields }: MessageInput,
): Schema['chat_messages'] {
  return {
    session_id: sessionId,
    seq,
    id: newId(),
    content: 'x',
    parts_json: null,
    calls_json: null,
    model: null,
    prompt_tokens: null,
    completion_tokens: null,
    cached_tokens: null,
    reasoning_tokens: null,
    latency_ms: null,
    first_token_ms: null,
    finish_reason: null,
    error_code: null,
    citations_json: null,
    reasoning: null,
    correlation_id: null,
    created_at: at,
    ...fields,
  }
}
