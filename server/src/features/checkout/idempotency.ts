import { Fault, type FaultFacts, type FaultKind } from '#kernel/fault.ts'
import { clockToleranceMs } from '#kernel/lease.ts'
import type { Context } from '#platform/context.ts'
import type { Tx } from '#platform/db/database.ts'
import { checkoutFaults as faults } from './checkout-faults.ts'
import type { CheckoutSession } from './checkout-session.ts'
import { findRecord, putRecord, type RecordRow } from './idempotency-store.ts'

/** A repeatable request: the same key, path and body get the same answer. */
export interface RepeatableRequest {
  readonly path: string
  readonly key: string
  /** The hash of the parsed body: key order and number format make no difference. */
  readonly bodyHash: string
}

export interface Answer {
  readonly session: CheckoutSession
  readonly replayed: boolean
}

type Outcome =
  | { readonly session: CheckoutSession }
  | { readonly code: string; readonly kind: FaultKind; readonly facts: FaultFacts }

/** Kept this long after the request (protocol: at least 24 hours). */
const retentionMs = 24 * 60 * 60 * 1000

/** The record of a request: none, its answer, or an unsettled payment. */
export type Claim =
  | { readonly state: 'new' }
  | { readonly state: 'answered'; readonly answer: Answer }
  | { readonly state: 'unsettled'; readonly paymentId: string }

/**
 * A step: looks a request up before it is carried out.
 *
 * @throws Fault idempotency_conflict, idempotency_in_flight, and the fault that was the answer
 */
export async function claimRequest(
  tx: Tx,
  identity: string,
  request: RepeatableRequest | null,
  now: number,
): Promise<Claim> {
  if (request === null) return { state: 'new' }
  const { path, key } = request
  const row = await findRecord(tx, { identity, path, key })
  if (row === undefined || row.expires_at <= now) return { state: 'new' }
  if (row.request_hash !== request.bodyHash) throw new Fault(faults.idempotency_conflict)
  if (row.outcome_json !== null) return { state: 'answered', answer: replay(row.outcome_json) }
  const isHeld = row.lease_until > now && row.created_at <= now + clockToleranceMs
  if (!isHeld && row.payment_id !== null) return { state: 'unsettled', paymentId: row.payment_id }
  const retryAfterSeconds = Math.max(1, Math.ceil((row.lease_until - now) / 1000))
  throw new Fault(faults.idempotency_in_flight, { retryAfterSeconds })
}

function replay(outcomeJson: string): Answer {
  // Written by sessionOutcome and recordRefusal alone.
  const outcome = JSON.parse(outcomeJson) as Outcome
  if ('session' in outcome) return { session: outcome.session, replayed: true }
  const { code, kind, facts } = outcome
  throw new Fault({ code, kind }, { ...facts, replayed: true })
}

/** A step: stores a request with its answer, or with the payment that will lead to it. */
export async function recordRequest(
  tx: Tx,
  identity: string,
  request: RepeatableRequest | null,
  record: Pick<RecordRow, 'outcome_json' | 'payment_id' | 'lease_until'>,
  now: number,
): Promise<void> {
  if (request !== null) await putRecord(tx, recordRow(identity, request, record, now))
}

function recordRow(
  identity: string,
  { path, key, bodyHash }: RepeatableRequest,
  record: Pick<RecordRow, 'outcome_json' | 'payment_id' | 'lease_until'>,
  now: number,
): RecordRow {
  const expires_at = now + retentionMs
  return { identity, path, key, request_hash: bodyHash, ...record, created_at: now, expires_at }
}

/** The record of a request that is answered at once. */
export function answerRecord(
  identity: string,
  request: RepeatableRequest,
  session: CheckoutSession,
  now: number,
): RecordRow {
  return recordRow(identity, request, answered(sessionOutcome(session), now), now)
}

function answered(outcome_json: string, now: number) {
  return { outcome_json, payment_id: null, lease_until: now }
}

export function sessionOutcome(session: CheckoutSession): string {
  return JSON.stringify({ session } satisfies Outcome)
}

/**
 * Runs a request at most once: its changes and the record of its answer are one unit. A refusal is
 * also an answer, but a temporary failure (a payment in progress, a lost database) is not.
 *
 * @throws Fault as claimRequest and `work` do
 */
export async function carryOutOnce(
  ctx: Pick<Context, 'db' | 'clock'>,
  identity: string,
  request: RepeatableRequest | null,
  work: (tx: Tx, now: number) => Promise<CheckoutSession>,
): Promise<Answer> {
  return await recordingRefusal(ctx, identity, request, async (tx, now) => {
    const claim = await claimRequest(tx, identity, request, now)
    if (claim.state === 'answered') return claim.answer
    const session = await work(tx, now)
    await recordAnswer(tx, identity, request, sessionOutcome(session), now)
    return { session, replayed: false }
  })
}

/** Runs a unit, and records its refusal under the request's key. */
export async function recordingRefusal<Result>(
  ctx: Pick<Context, 'db' | 'clock'>,
  identity: string,
  request: RepeatableRequest | null,
  unit: (tx: Tx, now: number) => Promise<Result>,
): Promise<Result> {
  try {
    return await ctx.db.write((tx) => unit(tx, ctx.clock.now()))
  } catch (error) {
    if (request !== null && error instanceof Fault && isFinal(error))
      await recordRefusal(ctx, identity, request, error)
    throw error
  }
}

/**
 * Records the refusal of an invalid request under its key: the key is checked before the body
 * (protocol: the order of checks).
 *
 * @throws Fault the refusal, or as claimRequest
 */
export async function refuseOnce(
  ctx: Pick<Context, 'db' | 'clock'>,
  identity: string,
  request: RepeatableRequest | null,
  refusal: Fault,
): Promise<never> {
  if (request !== null)
    await carryOutOnce(ctx, identity, request, () => Promise.reject<CheckoutSession>(refusal))
  throw refusal
}

/**
 * Records a refusal as the request's answer, unless the request has been answered in the meantime.
 */
async function recordRefusal(
  ctx: Pick<Context, 'db' | 'clock'>,
  identity: string,
  request: RepeatableRequest,
  { code, kind, facts }: Fault,
): Promise<void> {
  const { path, key } = request
  await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const row = await findRecord(tx, { identity, path, key })
    if (row !== undefined && row.expires_at > now) return
    const outcome = JSON.stringify({ code, kind, facts } satisfies Outcome)
    await recordAnswer(tx, identity, request, outcome, now)
  })
}

function recordAnswer(
  tx: Tx,
  identity: string,
  request: RepeatableRequest | null,
  outcome_json: string,
  now: number,
): Promise<void> {
  return recordRequest(tx, identity, request, answered(outcome_json, now), now)
}

const passing: ReadonlySet<string> = new Set([
  faults.payment_in_progress.code,
  faults.idempotency_in_flight.code,
  faults.idempotency_conflict.code,
])

function isFinal({ code, kind, facts }: Fault): boolean {
  const kinds: readonly FaultKind[] = ['invalid', 'not_found', 'conflict', 'forbidden']
  return kinds.includes(kind) && !passing.has(code) && facts.replayed !== true
}
