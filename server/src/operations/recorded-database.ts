import { requireLiveCredential } from '#features/credentials/index.ts'
import { changesBetween, noted, readRecordState, recordEvent } from '#features/audit/index.ts'
import { actingRoleIn } from '#features/workspaces/index.ts'
import { atLeast, type Actor } from '#kernel/actor.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { Database, Tx, WriteOptions } from '#platform/db/database.ts'
import type { Audit } from './audited.ts'
import type { Operation } from './operation.ts'

/** An actor's attempt to run an operation. */
export interface Attempt {
  readonly ctx: Context
  readonly actor: Actor
  readonly operation: Operation
}

/** One run of an operation, as its audit events need it. */
export interface Recording {
  readonly attempt: Attempt
  readonly workspaceId: string
  readonly input: Readonly<Record<string, unknown>>
}

/**
 * The database as the verb sees it. For a change, each unit also writes the audit event with the
 * record before and after, so that neither is committed without the other. The actor's credential
 * and role are checked again in the first one.
 */
export function recordedDatabase(recording: Recording): Database {
  const { ctx, operation } = recording.attempt
  const { db } = ctx
  const { audit } = operation
  if (audit === null || audit.writtenBy === 'verb') return db
  let isRecorded = false
  // Adapters are plain objects of closures, so a copy with another `write` works as a database.
  return {
    ...db,
    async write(unit, options) {
      if (options?.isHidden === true) return await db.write(unit, options)
      if (isRecorded && audit.writtenBy === 'first unit') return await db.write(unit, options)
      const result = await db.write(
        async (tx) => {
          // Only before the first unit: later ones store the outcome of what the first one began.
          const isAllowed = isRecorded ? Promise.resolve() : requireStillAllowed(tx, recording)
          const [, before] = await together([isAllowed, stateBefore(tx, recording, audit)])
          return await recordedUnit(tx, recording, audit, unit, before)
        },
        changingRecord(recording, audit, options),
      )
      isRecorded = true
      return result
    },
    prepared: (statement) => ({
      ...db.prepared(statement),
      write: refuseUnrecorded,
      writeByKey: refuseUnrecorded,
    }),
  }
}

/** What the unit changes, so that those of the same record take turns. */
function changingRecord(
  recording: Recording,
  audit: Audit<Recording['input']>,
  options: WriteOptions = {},
): WriteOptions {
  const changed = recordBefore(recording, audit)
  return changed === null ? options : { ...options, record: JSON.stringify(changed) }
}

/**
 * A member who is removed during a request must not create a key that would work again when they
 * return, or that no owner is asked to rotate.
 */
async function requireStillAllowed(tx: Tx, { attempt, workspaceId }: Recording): Promise<void> {
  const { actor, operation } = attempt
  if (operation.personal) return await requireLiveCredential(tx, actor)
  const [, role] = await together([
    requireLiveCredential(tx, actor),
    actingRoleIn(tx, actor.userId, workspaceId),
  ])
  if (role === null) throw new Fault(commonFaults.record_not_found)
  if (!atLeast(role, operation.role))
    throw new Fault(commonFaults.permission_denied, { role, needs: operation.role })
}

/**
 * Waits for steps that were started together, because they then share a packet on PostgreSQL.
 *
 * @throws the error of the first one that failed, in their order here
 */
async function together<A, B>(steps: readonly [Promise<A>, Promise<B>]): Promise<readonly [A, B]> {
  await Promise.allSettled(steps)
  return await Promise.all(steps)
}

/** The record that an operation changes, before it creates one. */
function recordBefore(
  { attempt, workspaceId, input }: Recording,
  audit: Audit<Recording['input']>,
) {
  const { userId } = attempt.actor
  return audit.record?.({ workspaceId, userId, input, createdId: null }) ?? null
}

function stateBefore(tx: Tx, recording: Recording, audit: Audit<Recording['input']>) {
  return readRecordState(tx, recordBefore(recording, audit))
}

function refuseUnrecorded(): never {
  throw new Error('an audited change must be written in a unit: db.write()')
}

async function recordedUnit<T>(
  tx: Tx,
  recording: Recording,
  audit: Audit<Recording['input']>,
  unit: (tx: Tx) => Promise<T>,
  before: RecordState | null,
): Promise<T> {
  const { attempt, workspaceId, input } = recording
  const result = await unit(tx)
  const createdId = audit.createdId?.(result) ?? null
  const change = { workspaceId, userId: attempt.actor.userId, input, createdId }
  const after = await readRecordState(tx, audit.record?.(change) ?? null)
  const state = after ?? before
  const named =
    audit.targetColumn === undefined ? createdId : (state?.[audit.targetColumn] ?? state?.agent_id)
  const target = typeof named === 'string' ? named : targetOf(attempt.operation, input)
  const isInCreated = audit.isInCreated === true && target !== null
  const filed = isInCreated ? { ...recording, workspaceId: target } : recording
  const kept = audit.summarize?.(result) ?? {}
  await recordDone(tx, filed, target, { ...changesBetween(before, after), kept })
  return result
}

type RecordState = NonNullable<Awaited<ReturnType<typeof readRecordState>>>

type Changed = Pick<Parameters<typeof recordEvent>[2], 'before' | 'after'> & {
  /** A summary of the result, besides the notes on the input. */
  readonly kept?: Readonly<Record<string, unknown>>
}

/** A step: writes the audit event of a completed operation. */
export async function recordDone(
  tx: Tx,
  { attempt, workspaceId, input }: Recording,
  target: string | null,
  { kept = {}, ...changes }: Changed = {},
): Promise<void> {
  const { ctx, actor, operation } = attempt
  const notes = { ...noted(input, operation.audit?.notes ?? []), ...kept }
  const detail = Object.keys(notes).length === 0 ? {} : { detail: notes }
  const event = { actor, workspaceId, action: operation.name, target, ...changes, ...detail }
  await recordEvent(tx, ctx.clock.now(), { ...event, outcome: 'done' })
}

/** The record that the input names, or its workspace. */
export function targetOf({ actsOn }: Operation, input: Recording['input']): string | null {
  const named = actsOn === undefined ? undefined : input[actsOn.field]
  if (typeof named === 'string') return named
  return typeof input.workspace_id === 'string' ? input.workspace_id : null
}
