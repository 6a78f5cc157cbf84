import { newId } from '#kernel/ids.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Use } from './credit-entry.ts'
import { insertEntry } from './ledger-store.ts'
import { countUse } from './window-store.ts'

/**
 * A step: books a use to the ledger, once for its idempotency key, in the unit that stores what was
 * made of it. The cost comes from `costOfUse`, asked for before the unit.
 *
 * @returns false when it was booked before
 */
export async function bookUsage(tx: Tx, now: number, use: Use): Promise<boolean> {
  const row = {
    id: newId(now),
    workspace_id: use.workspaceId,
    kind: use.kind,
    amount_micros: -use.costMicros,
    agent_id: use.agentId,
    session_id: use.sessionId,
    message_id: use.messageId,
    key_id: use.keyId,
    end_user: use.endUser,
    model: use.model,
    prompt_tokens: use.promptTokens,
    completion_tokens: use.completionTokens,
    idempotency_key: `${use.kind}:${use.idempotencyKey}`,
    note: null,
    counted_at: now,
    created_at: now,
  }
  if (!(await insertEntry(tx, row))) return false
  await countUse(tx, row).execute()
  return true
}
