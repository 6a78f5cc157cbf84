import { newId } from '#kernel/ids.ts'
import type { Tx } from '#platform/db/database.ts'
import type { CreditKind } from './credit-entry.ts'
import { insertEntry } from './ledger-store.ts'
import { raiseBalanceLimit } from './window-store.ts'

export interface Credit {
  readonly workspaceId: string
  readonly kind: CreditKind
  /** Negative for what lapses or is taken back. */
  readonly amountMicros: number
  /** What makes it one credit however often it is booked. */
  readonly idempotencyKey: string
  readonly note: string | null
}

/**
 * A step: books what a workspace is given, once for its idempotency key.
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
