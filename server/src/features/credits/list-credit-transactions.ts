import { z } from 'zod'
import { camelKeys } from '#kernel/key-case.ts'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { entryKinds, type EntryKind } from './credit-entry.ts'
import { listEntries, type EntryFilter, type EntryRow } from './ledger-store.ts'

export interface CreditTransaction {
  readonly id: string
  readonly kind: EntryKind
  /** Negative for use. */
  readonly amountMicros: number
  readonly agentId: string | null
  readonly sessionId: string | null
  readonly messageId: string | null
  readonly keyId: string | null
  readonly endUser: string | null
  readonly model: string | null
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  readonly cachedTokens: number | null
  readonly note: string | null
  readonly createdAt: number
}

const place = z.tuple([z.int(), z.string().max(100)])

/** A page of the ledger, newest first. */
export async function listCreditTransactions(
  ctx: Pick<Context, 'db'>,
  filter: EntryFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<CreditTransaction>> {
  const before = readCursor(cursor, place)
  const rows = await listEntries(ctx.db.report, filter, { limit: limit + 1, before })
  return pageOf(rows, limit, {
    key: (row): z.output<typeof place> => [row.created_at, row.id],
    item: transactionFromRow,
  })
}

function transactionFromRow(row: EntryRow): CreditTransaction {
  const kind = entryKinds.find((one) => one === row.kind)
  if (kind === undefined) throw new Error(`Unknown kind of entry in the database: ${row.kind}`)
  return { ...camelKeys(row), kind, messageId: row.message_id ?? answerOf(row) }
}

/** The entry of a stored turn has the id of its answer. A turn that was not stored has no session either. */
function answerOf({ id, kind, session_id }: EntryRow): string | null {
  return kind === 'turn' && session_id !== null ? id : null
}
