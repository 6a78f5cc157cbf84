import { newId } from '#kernel/ids.ts'
import type { Context } from '#platform/context.ts'
import type { Reader, Tx } from '#platform/db/database.ts'
import { bookCredit } from './book-entry.ts'
import { findPool, type CreditPool } from './credit-pool.ts'
import { listMonthlyGrants, sumUse, wholeWorkspace } from './ledger-store.ts'
import { monthName, spanOf } from './period.ts'
import { heldOf } from './reservation-store.ts'
import { addToShare, listBalances, listShares, lockBalances } from './share-store.ts'
import { waitForRowLocks, type WindowRow } from './window-store.ts'

type DrawContext = Pick<Context, 'db' | 'clock' | 'config'>

/** A workspace that needs credits, and what its plan includes each month. */
interface Drawer {
  readonly workspaceId: string
  readonly includedMicros: number
}

/** Unused shared credits of another workspace. */
interface Spare {
  readonly workspaceId: string
  readonly micros: number
}

/**
 * Moves unused included credits of this month from the billing owner's other workspaces, so that a
 * workspace can reserve an amount. Each move takes at least half of what another workspace can spare;
 * otherwise two busy workspaces would move credits with every turn.
 *
 * @returns false when the workspaces together have too little; nothing is moved then
 */
export async function drawSharedCredits(
  { db, clock, config }: DrawContext,
  drawer: Drawer,
  neededMicros: number,
): Promise<boolean> {
  // Without a lock first: a workspace without credits is refused often.
  const seen = await findPool(db.read, config, drawer.workspaceId)
  if (seen === null || !(await haveRoom(db.read, seen.otherIds))) return false
  return await db.write(async (tx) => {
    await waitForRowLocks(tx, db.engine)
    const pool = await findPool(tx, config, drawer.workspaceId)
    if (pool === null) return false
    const now = clock.now()
    const ids = [drawer.workspaceId, ...pool.otherIds]
    const balances = await lockBalances(tx, db.engine, ids)
    const held = await heldOf(tx, idsOf(balances), now)
    const own = balances.find(({ workspace_id }) => workspace_id === drawer.workspaceId)
    if (own === undefined) return false
    const missing = neededMicros - roomOf(own, held)
    const most = await mostToReceive(tx, drawer, now)
    const spares = await listSpares(tx, without(balances, own), held, now)
    const total = spares.reduce((sum, { micros }) => sum + micros, 0)
    if (missing > Math.min(most, total)) return false
    await move(tx, now, { pool, to: drawer.workspaceId, spares }, { missing, most })
    return true
  })
}

/** What a workspace could still draw from the others this month, in micros. */
export async function drawableMicros(
  { db, clock, config }: DrawContext,
  drawer: Drawer,
): Promise<number> {
  const pool = await findPool(db.read, config, drawer.workspaceId)
  if (pool === null || pool.otherIds.length === 0) return 0
  const now = clock.now()
  const balances = await listBalances(db.read, pool.otherIds)
  const spares = await listSpares(
    db.scan,
    balances,
    await heldOf(db.read, idsOf(balances), now),
    now,
  )
  const total = spares.reduce((sum, { micros }) => sum + micros, 0)
  return Math.min(total, await mostToReceive(db.read, drawer, now))
}

async function haveRoom(reader: Reader, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return false
  return (await listBalances(reader, ids)).some((balance) => roomOf(balance, new Map()) > 0)
}

async function move(
  tx: Tx,
  now: number,
  { pool, to, spares }: { pool: CreditPool; to: string; spares: readonly Spare[] },
  { missing, most }: { missing: number; most: number },
): Promise<void> {
  const month = monthName(now)
  let [stillMissing, stillAllowed] = [missing, most]
  for (const { workspaceId: from, micros } of spares) {
    if (stillMissing <= 0) return
    const half = Math.ceil(micros / 2)
    const moved = Math.min(micros, stillAllowed, Math.max(stillMissing, half))
    for (const [workspaceId, movedMicros, note] of [
      [from, -moved, `moved to ${to}`],
      [to, moved, `moved from ${from}`],
    ] as const) {
      const idempotencyKey = `moved:${newId(now)}`
      await bookCredit(tx, now, {
        workspaceId,
        kind: 'adjustment',
        amountMicros: movedMicros,
        idempotencyKey,
        note,
      })
      await addToShare(tx, { userId: pool.userId, month, workspaceId }, { movedMicros })
    }
    stillMissing -= moved
    stillAllowed -= moved
  }
}

/** A workspace never receives more in a month than its own plan includes. */
async function mostToReceive(
  reader: Reader,
  { workspaceId, includedMicros }: Drawer,
  now: number,
): Promise<number> {
  const month = monthName(now)
  const grants = await listMonthlyGrants(reader, workspaceId, [month])
  const shares = await listShares(reader, workspaceId, [month])
  const granted = grants.reduce((sum, { amountMicros }) => sum + amountMicros, 0)
  const moved = shares.reduce((sum, { movedMicros }) => sum + movedMicros, 0)
  return Math.max(0, includedMicros - granted - moved)
}

/** What each workspace can spare: shared credits of this month that it neither used nor reserved. */
async function listSpares(
  reader: Reader,
  balances: readonly WindowRow[],
  held: ReadonlyMap<string, number>,
  now: number,
): Promise<Spare[]> {
  const spares: Spare[] = []
  for (const balance of balances) {
    const room = roomOf(balance, held)
    if (room <= 0) continue
    const { workspace_id: workspaceId } = balance
    const shares = await listShares(reader, workspaceId, [monthName(now)])
    const received = shares.reduce((sum, one) => sum + one.grantedMicros + one.movedMicros, 0)
    if (received <= 0) continue
    const used = await sumUse(reader, workspaceId, wholeWorkspace, spanOf('month', now))
    const left = received - used - (held.get(balance.id) ?? 0)
    if (left > 0) spares.push({ workspaceId, micros: Math.min(left, room) })
  }
  return spares.toSorted((a, b) => b.micros - a.micros)
}

function roomOf({ id, limit_micros, used_micros }: WindowRow, held: ReadonlyMap<string, number>) {
  return limit_micros - used_micros - (held.get(id) ?? 0)
}

function idsOf(balances: readonly WindowRow[]): string[] {
  return balances.map(({ id }) => id)
}

function without(balances: readonly WindowRow[], own: WindowRow): WindowRow[] {
  return balances.filter((balance) => balance !== own)
}
