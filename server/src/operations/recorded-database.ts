import { changesBetween, noted, readRecordState, recordEvent } from '#features/audit/index.ts'
import type { Actor } from '#kernel/actor.ts'
import type { Context } from '#platform/context.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { auditedChange } from './audited-changes.ts'
import type { Operation } from './operation.ts'

type Input = Readonly<Record<string, unknown>>

/** One run of an operation, as its audit records need it. */
export interface Recording {
  readonly attempt: {
    readonly ctx: Pick<Context, 'db' | 'clock'>
    readonly actor: Actor
    readonly operation: Operation
  }
  readonly workspaceId: string
  readonly input: Input
}

/**
 * The database as the verb sees it. That of a change also writes the audit row in its unit, with the
 * record as it was and as it became, so that no change lands without its record and no record
 * without its change.
 */
export function recordedDatabase(recording: Recording): Database {
  const { ctx, operation } = recording.attempt
  const { db } = ctx
  if (operation.hints.readOnly || operation.recorded === 'by the verb') return db
  let isRecorded = false
  // The adapters are plain objects of closures, so a copy with another write is a database too.
  return {
    ...db,
    async write(unit) {
      if (isRecorded && operation.recorded === 'with the first change') return await db.write(unit)
      const result = await db.write((tx) => recordedUnit(tx, recording, unit))
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

function refuseUnrecorded(): never {
  throw new Error('a change that is recorded is made in a unit: db.write()')
}

async function recordedUnit<T>(
  tx: Tx,
  recording: Recording,
  unit: (tx: Tx) => Promise<T>,
): Promise<T> {
  const before = await readRecordState(tx, recordOf(recording, null))
  const made = await unit(tx)
  const madeId = idOf(made)
  const after = await readRecordState(tx, recordOf(recording, madeId))
  const { operation } = recording.attempt
  const isInMade = auditedChange(operation.name).isInMade === true && madeId !== null
  const place = isInMade ? { ...recording, workspaceId: madeId } : recording
  const target = madeId ?? targetOf(recording.input)
  const kept = auditedChange(operation.name).made?.(made) ?? {}
  await recordDone(tx, place, target, { ...changesBetween(before, after), kept })
  return made
}

function recordOf({ attempt, workspaceId, input }: Recording, madeId: string | null) {
  const { record } = auditedChange(attempt.operation.name)
  return record?.({ workspaceId, userId: attempt.actor.userId, input, madeId }) ?? null
}

type Changed = Pick<Parameters<typeof recordEvent>[2], 'before' | 'after'> & {
  /** Of what was made, besides the notes on the input. */
  readonly kept?: Readonly<Record<string, unknown>>
}

/** A step: the record of what an actor did. */
export async function recordDone(
  tx: Tx,
  { attempt, workspaceId, input }: Recording,
  target: string | null,
  { kept = {}, ...changes }: Changed = {},
): Promise<void> {
  const { ctx, actor, operation } = attempt
  const notes = { ...noted(input, auditedChange(operation.name).notes ?? []), ...kept }
  const detail = Object.keys(notes).length === 0 ? {} : { detail: notes }
  const event = { actor, workspaceId, action: operation.name, target, ...changes, ...detail }
  await recordEvent(tx, ctx.clock.now(), { ...event, outcome: 'done' })
}

const targetFields = [
  'app_id',
  'source_id',
  'session_id',
  'action_id',
  'server_id',
  'product_id',
  'user_id',
  'id',
  'provider',
  'workspace_id',
] as const

/** The first record that the input names, by the order of `targetFields`. */
export function targetOf(input: Input): string | null {
  for (const field of targetFields) {
    const value = input[field]
    if (typeof value === 'string') return value
  }
  return null
}

function idOf(result: unknown): string | null {
  const isRecord = typeof result === 'object' && result !== null && 'id' in result
  return isRecord && typeof result.id === 'string' ? result.id : null
}
