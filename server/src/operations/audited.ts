import { z } from 'zod'
import type { RecordRef } from '#features/audit/index.ts'

/** A change as its audit rules see it. */
interface Change<Input> {
  readonly workspaceId: string
  readonly userId: string
  readonly input: Input
  /** The id of the created record; null before the change, or if the change creates none. */
  readonly createdId: string | null
}

/** What the audit log keeps of a change besides user, time and target. */
export interface Audit<Input> {
  /** The record that changes, read before and after; null if it is not known yet. */
  record?(change: Change<Input>): RecordRef | null
  /** The column of that record to log as the target, if the input names it by another id. */
  readonly targetColumn?: 'id' | 'agent_id'
  /** The id of the created record, from the unit's result. */
  createdId?(result: unknown): string
  /** Input fields to keep, if no record shows the change. */
  readonly notes?: readonly (keyof Input & string)[]
  /** What to keep of the unit's result, if a change creates many records. */
  summarize?(result: unknown): Readonly<Record<string, unknown>>
  /** Files the event under the workspace that is created or restored, not the user's own. */
  readonly isInCreated?: true
  /**
   * What writes the event. `every unit`, the default, commits a change and its event together.
   * `first unit` is for work that takes several. `verb` is for work whose writes are not all units
   * (a chat turn): the verb calls `call.record()` before it starts.
   */
  readonly writtenBy?: 'every unit' | 'first unit' | 'verb'
}

/** For a change whose event needs only the target. */
export const onlyTarget: Audit<unknown> = {}

/** Reads the id of a record that a unit returns. */
export const itsCreatedId = z.object({ id: z.string() }).transform(({ id }) => id)

/**
 * A change that creates a record. The change fails unless `idOf` can read the record's id from the
 * unit's result.
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

/** A change of the record whose id is in this input field. */
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

/** A change of an agent, which the input may name by its `app_name_id`. */
type AgentAudit = Audit<{ readonly app_id: string }> &
  Required<Pick<Audit<{ readonly app_id: string }>, 'record'>>

export const changesAgent: AgentAudit = {
  targetColumn: 'id',
  record: ({ workspaceId, input }) => ({
    table: 'agents',
    where: { agent: input.app_id, workspace_id: workspaceId },
  }),
}

/** A change of an agent's draft. */
export const changesDraft: AgentAudit = {
  targetColumn: 'agent_id',
  record: ({ input }) => ({ table: 'agent_drafts', where: { agent: input.app_id } }),
}

/** A change of the workspace that the operation acts in. */
export const changesWorkspace: Audit<unknown> = {
  targetColumn: 'id',
  record: ({ workspaceId }) => ({ table: 'workspaces', where: { id: workspaceId } }),
}
