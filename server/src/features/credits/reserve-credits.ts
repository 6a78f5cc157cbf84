import { Fault } from '#kernel/fault.ts'
import { snakeKeys } from '#kernel/key-case.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { creditFaults } from './credit-faults.ts'
import { capsFor, type Cap } from './cap.ts'
import { listCapsOn } from './cap-store.ts'
import type { Consumer } from './credit-entry.ts'
import { drawSharedCredits } from './draw-shared-credits.ts'
import { openBalance, openCapWindow } from './open-windows.ts'
import { addReservations, heldOf, reservationMs } from './reservation-store.ts'
import { lockWindows, waitForRowLocks, type WindowRow } from './window-store.ts'

type ReserveContext = Pick<Context, 'db' | 'clock' | 'config'>

interface ReservationRequest {
  readonly turnId: string
  readonly consumer: Consumer
  /** When the turn began: it counts towards that day and month. */
  readonly countedAt: number
  readonly amountMicros: number
  /** What the workspace's plan includes each month, in micros; null where credits are unlimited. */
  readonly includedMicros: number | null
}

/**
 * Reserves the most that a turn may use: in every window in which it will count, or in none. A further
 * call for the same turn adds to its reservation.
 *
 * @throws Fault credits_used_up, credit_cap_reached
 */
export async function reserveCredits(
  ctx: ReserveContext,
  request: ReservationRequest,
): Promise<void> {
  // Each round opens the missing windows; a cap may have been set in the meantime.
  for (let round = 0; round < maxRounds; round += 1) {
    try {
      const missing = await ctx.db.write((tx) => tryToReserve(tx, ctx, request))
      if (missing === null) return
      await open(ctx, request, missing)
    } catch (error) {
      // Another turn may take the drawn credits first; the next round then draws again.
      if (!(await drawForTurn(ctx, request, error))) throw error
    }
  }
  throw new Error('the windows of a turn changed in every round')
}

/** @returns false if the error has another reason or the owner's workspaces have too few credits */
async function drawForTurn(
  ctx: ReserveContext,
  { consumer: { workspaceId }, includedMicros, amountMicros }: ReservationRequest,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof Fault) || error.code !== creditFaults.credits_used_up.code) return false
  if (includedMicros === null) return false
  return await drawSharedCredits(ctx, { workspaceId, includedMicros }, amountMicros)
}

const maxRounds = 10

/** Windows that must be opened before anything is reserved. */
interface Missing {
  readonly caps: readonly Cap[]
  readonly balance: boolean
}

async function open(
  ctx: ReserveContext,
  { consumer, countedAt, includedMicros }: ReservationRequest,
  { caps, balance }: Missing,
): Promise<void> {
  const { workspaceId } = consumer
  if (balance && includedMicros !== null) await openBalance(ctx, workspaceId, includedMicros)
  for (const cap of caps) await openCapWindow(ctx, workspaceId, cap, countedAt)
}

async function tryToReserve(
  tx: Tx,
  { db, clock }: ReserveContext,
  request: ReservationRequest,
): Promise<Missing | null> {
  const { consumer, countedAt, amountMicros, turnId } = request
  await waitForRowLocks(tx, db.engine)
  const windows = await lockWindows(tx, db.engine, {
    ...snakeKeys(consumer),
    counted_at: countedAt,
  })
  const caps = capsFor(await listCapsOn(tx, consumer), consumer)
  const balance = windows.find(({ period }) => period === 'balance')
  const capped = caps.map((cap) => ({ cap, window: windows.find((one) => isOf(one, cap)) }))
  const needsBalance = request.includedMicros !== null
  const missing = capped.filter(({ window }) => window === undefined).map(({ cap }) => cap)
  if (missing.length > 0 || (needsBalance && balance === undefined))
    return { caps: missing, balance: needsBalance && balance === undefined }
  const counting = [...capped.map(({ window }) => window), needsBalance ? balance : undefined]
  const used = counting.filter((window) => window !== undefined)
  if (used.length === 0) return null
  const now = clock.now()
  const windowIds = used.map(({ id }) => id)
  const held = await heldOf(tx, windowIds, now)
  for (const window of used) requireRoom(window, held.get(window.id) ?? 0, amountMicros)
  await addReservations(
    tx,
    windowIds.map((window_id) => ({
      turn_id: turnId,
      window_id,
      workspace_id: consumer.workspaceId,
      amount_micros: amountMicros,
      expires_at: now + reservationMs,
    })),
  )
  return null
}

function isOf(window: WindowRow, cap: Cap): boolean {
  const { subject, subject_id, period } = window
  return subject === cap.subject && subject_id === cap.subjectId && period === cap.period
}

function requireRoom(window: WindowRow, heldMicros: number, amountMicros: number): void {
  const left = window.limit_micros - window.used_micros - heldMicros
  if (amountMicros <= left) return
  if (window.period === 'balance') throw new Fault(creditFaults.credits_used_up)
  throw new Fault(creditFaults.credit_cap_reached, {
    subject: window.subject,
    period: window.period,
    resets_at: new Date(window.ends_at).toISOString(),
  })
}
