import { newId } from '#kernel/ids.ts'
import { snakeKeys } from '#kernel/key-case.ts'
import type { Tx } from '#platform/db/database.ts'
import type { CreditKind, Use } from './credit-entry.ts'
import { insertEntry } from './ledger-store.ts'
import { countUse, raiseBalanceLimit } from './window-store.ts'

interface Credit {
  readonly workspaceId: string
  readonly kind: CreditKind
  /** Negative for credits that lapse or are revoked. */
  readonly amountMicros: number
  /** Credits with the same key are booked only once. */
  readonly idempotencyKey: string
  readonly note: string | null
}

/**
 * A step: books credits that a workspace receives or loses, once per idempotency key.
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
 * A step: books a use in the ledger, once per idempotency key, in the unit that stores its result.
 * The cost comes from `costOfUse`, which is called before the unit.
 *
 * @returns false when it was booked before
 */
export async function bookUsage(tx: Tx, now: number, use: Use): Promise<boolean> {
  const { costMicros, idempotencyKey, ...columns } = use
  const row = {
    ...snakeKeys(columns),
    id: newId(now),
    amount_micros: -costMicros,
    idempotency_key: `${use.kind}:${idempotencyKey}`,
    counted_at: now,
    created_at: now,
  }
  if (!(await insertEntry(tx, row))) return false
  await countUse(tx, row).execute()
  return true
}
