import { z } from 'zod'
import type { RecordRef } from '#features/audit/index.ts'

/** A change as its audit rules see it: where, by whom, with which input, and what it created. */
interface Change<Input> {
  readonly workspaceId: string
  readonly userId: string
  readonly input: Input
  /** The id of the created record: null before the change, and where nothing is created. */
  readonly createdId: string | null
}

/** What the audit log keeps of a change besides who made it, when, and the target. */
export interface Audit<Input> {
  /** The record that changes, read before and after; null where it is not known yet. */
  record?(change: Change<Input>): RecordRef | null
  /** The column of that record to log as the target, where the input names it by another id. */
  readonly targetColumn?: 'id' | 'agent_id'
  /** The id of the created record, from what the unit of work returns. */
  createdId?(result: unknown): string
  /** Input fields to keep, where no record shows what was done. */
  readonly notes?: readonly (keyof Input & string)[]
  /** What to keep of the unit's result, where a change creates many records. */
  summarize?(result: unknown): Readonly<Record<string, unknown>>
  /** Files the event under the workspace that is created or restored, not the person's own. */
  readonly isInCreated?: true
  /**
   * Who writes the event. `every unit`, the default: neither a change nor its record lands without
   * the other. `first unit`, where the work takes several. `verb`, by calling `call.record()` before
   * it begins, where not all of its writes are units (a chat turn).
   */
  readonly writtenBy?: 'every unit' | 'first unit' | 'verb'
}

/** For a change whose event needs nothing but the target. */
export const onlyTarget: Audit<unknown> = {}

/** A record as units return it: read for its id alone. */
export const itsCreatedId = z.object({ id: z.string() }).transform(({ id }) => id)

/**
 * A change that creates a record. Its unit returns the record, or something that `idOf` reads its id
 * from; the change fails if it returns anything else.
 */
export function creates(
  table: RecordRef['table'],
  idOf: z.ZodType<string> = itsCreatedId,
): Audit<unknown> {
  return {
    createdId: (result) => idOf.parse(result),
    record: ({ workspaceId, createdId }) =>
      createdId === null ? null : { table, where: { id: createdId, workspace_id: workspaceId } },
  }
}

/** A change of the record whose id is in this field of the input. */
export function changes<Field extends string>(
  table: RecordRef['table'],
  field: Field,
): Audit<Readonly<Record<Field, string>>> {
  return {
    record: ({ workspaceId, input }) => ({
      table,
      where: { id: input[field], workspace_id: workspaceId },
    }),
  }
}

/** A change of an agent, which the input may also name by its `app_name_id`. */
export const changesAgent: Audit<{ readonly app_id: string }> = {
  targetColumn: 'id',
  record: ({ workspaceId, input }) => ({
    table: 'agents',
    where: { agent: input.app_id, workspace_id: workspaceId },
  }),
}

/** A change of the workspace that the operation acts in. */
export const changesWorkspace: Audit<unknown> = {
  targetColumn: 'id',
  record: ({ workspaceId }) => ({ table: 'workspaces', where: { id: workspaceId } }),
}
