import { newId } from '#kernel/ids.ts'
import type { Tx } from '#platform/db/database.ts'
import type { CreditKind, Use } from './credit-entry.ts'
import { insertEntry } from './ledger-store.ts'
import { countUse, raiseBalanceLimit } from './window-store.ts'

export interface Credit {
  readonly workspaceId: string
  readonly kind: CreditKind
  /** Negative for credits that lapse or are taken back. */
  readonly amountMicros: number
  /** The same key is booked once only. */
  readonly idempotencyKey: string
  readonly note: string | null
}

/**
 * A step: books credits that a workspace receives, once for their idempotency key.
 *
 * @returns false when it was booked before
 */
export async function bookCredit(tx: Tx, now: number, credit: Credit): Promise<boolean> {
  const { workspaceId, amountMicros } = credit
  const isNew = await insertEntry(tx, {
    id: newId(now),
    workspace_id: workspaceId,
    kind: credit.kind,
    amount_micros: amountMicros,
    idempotency_key: credit.idempotencyKey,
    note: credit.note,
    counted_at: now,
    created_at: now,
  })
  if (isNew) await raiseBalanceLimit(tx, workspaceId, amountMicros)
  return isNew
}

/**
 * A step: books a use to the ledger, once for its idempotency key, in the unit that stores its result.
 * The cost comes from `costOfUse`, which is called before the unit.
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
